import { Int64Column } from 'animal-store';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** The progress of an order. */
export const OrderStatus = { placed: 'placed', approved: 'approved', delivered: 'delivered' } as const;
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];

/** An order of a pet. */
@Entity('store_order')
export class Order {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  @Int64Column({ name: 'pet_id' })
  petId: bigint;

  /** 1 to 100. */
  @Column({ type: 'int' })
  quantity: number;

  @Column({ type: 'varchar', length: 32 })
  status: OrderStatus;

  /** Milliseconds since the Unix epoch. */
  @Int64Column({ name: 'placed_at' })
  placedAt: bigint;

  @Column({ type: 'varchar', length: 200, nullable: true })
  note?: string | null;
}

/** An order without an id, before it is stored. */
export type NewOrder = Omit<Order, 'id'>;
