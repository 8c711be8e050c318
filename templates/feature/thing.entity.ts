import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A row of the table. */
@Entity('things_thing')
export class Thing {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'varchar', length: 255 })
  name: string;
}

/** A row before its insert, without an id. */
export type NewThing = Omit<Thing, 'id'>;
