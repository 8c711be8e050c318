import { Database, sliceOf, type Row, type Slice } from 'animal-store';
import { Injectable } from '@nestjs/common';
import type { NewOrder, Order, OrderStatus } from './order.entity.js';

const COLUMNS = 'id, pet_id, quantity, status, placed_at';
const INSERT = 'INSERT INTO store_order (pet_id, quantity, status, placed_at) VALUES (?, ?, ?, ?)';
const LIST = `SELECT ${COLUMNS} FROM store_order WHERE id > ? ORDER BY id LIMIT ?`;
const LIST_BY_STATUS = `SELECT ${COLUMNS} FROM store_order WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;

/** Which part of the orders a list is of. */
export interface OrderSelection {
  /** Only orders with a greater id; 0n for all. */
  readonly after: bigint;
  readonly limit: number;
  readonly status?: OrderStatus | undefined;
}

/** Orders in the database. */
@Injectable()
export class OrdersRepository {
  constructor(private readonly database: Database) {}

  async insert(order: NewOrder): Promise<Order> {
    const values = [order.petId, BigInt(order.quantity), order.status, order.placedAt];
    const { insertId } = await this.database.execute(INSERT, values);
    return { ...order, id: insertId };
  }

  /** Ascending by id. One row more than asked is read, to know whether there is more. */
  async list({ after, limit, status }: OrderSelection): Promise<Slice<Order>> {
    const many = BigInt(limit + 1);
    const rows = await (status === undefined
      ? this.database.query(LIST, [after, many])
      : this.database.query(LIST_BY_STATUS, [status, after, many]));
    return sliceOf(rows.map(orderFromRow), limit);
  }
}

function orderFromRow(row: Row): Order {
  return {
    id: row['id'] as bigint,
    petId: row['pet_id'] as bigint,
    quantity: Number(row['quantity']),
    status: row['status'] as OrderStatus,
    placedAt: row['placed_at'] as bigint,
  };
}
