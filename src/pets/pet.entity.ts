import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import { Int64Column } from '../platform/int64.js';

/** Availability of an animal (interface §2). */
export const PetStatus = { available: 'available', pending: 'pending', sold: 'sold' } as const;
export type PetStatus = (typeof PetStatus)[keyof typeof PetStatus];

/** An animal in the store. */
@Entity('pet')
@Index('pet_status_id', ['status', 'id'])
export class Pet {
  /**
   * 1 to 2^63 − 1, assigned by the database. Ids have gaps, and with several database nodes they are not in order of
   * time.
   */
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  /** 1 to 255 code points, stored byte for byte. */
  @Column({ type: 'varchar', length: 255, collation: 'utf8mb4_bin' })
  name: string;

  /** Any int64. */
  @Int64Column({ name: 'category_id' })
  categoryId: bigint;

  @Column({ type: 'varchar', length: 16, collation: 'utf8mb4_bin' })
  status: PetStatus;
}

/** An animal without an id, before it is stored. */
export type NewPet = Omit<Pet, 'id'>;
