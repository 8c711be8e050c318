import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('store_order')
export class Order {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  @Column({ name: 'pet_id', type: 'bigint' })
  petId: bigint;

  @Column({ type: 'varchar', length: 255 })
  buyer: string;
}
