import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('pet')
export class Pet {
  /** The driver returns a BIGINT as text. */
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column()
  name: string;

  @Column({ name: 'category_id', type: 'bigint', transformer: { from: Number, to: (value: number) => value } })
  categoryId: number;

  @Column()
  status: string;
}
