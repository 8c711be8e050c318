import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Int64Column } from '../platform/int64.js';

/** Availability of an animal (interface §2). */
export const PetStatus = { available: 'available', pending: 'pending', sold: 'sold' } as const;
export type PetStatus = (typeof PetStatus)[keyof typeof PetStatus];

/** An animal as the store keeps it. */
@Entity('pet')
@Index('pet_status_id', ['status', 'id'])
export class Pet {
  /** 1 to 2^63 − 1, given by the database; neither dense nor ordered in time across nodes. */
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  /** 1 to 255 code points, kept byte for byte. */
  @Column({ type: 'varchar', length: 255, collation: 'utf8mb4_bin' })
  name: string;

  /** Any int64. */
  @Int64Column({ name: 'category_id' })
  categoryId: bigint;

  @Column({ type: 'varchar', length: 16, collation: 'utf8mb4_bin' })
  status: PetStatus;
}

/** An animal before the store has given it an id. */
export type NewPet = Omit<Pet, 'id'>;
