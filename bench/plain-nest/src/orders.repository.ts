import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Order } from './order.entity.js';

/** As text, since the driver rounds int64 values. */
const COLUMNS = 'CAST(id AS TEXT) AS id, CAST(pet_id AS TEXT) AS petId, buyer';

interface Row {
  readonly id: string;
  readonly petId: string;
  readonly buyer: string;
}

@Injectable()
export class OrdersRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert({ petId, buyer }: Omit<Order, 'id'>): Promise<Order> {
    const sql = `INSERT INTO store_order (pet_id, buyer) VALUES (CAST(? AS INTEGER), ?) RETURNING ${COLUMNS}`;
    const [row] = await this.dataSource.query<Row[]>(sql, [String(petId), buyer]);
    return orderFromRow(row as Row);
  }

  async list(after: bigint, limit: number): Promise<Order[]> {
    const sql = `SELECT ${COLUMNS} FROM store_order WHERE id > CAST(? AS INTEGER) ORDER BY store_order.id LIMIT ?`;
    return (await this.dataSource.query<Row[]>(sql, [String(after), limit])).map(orderFromRow);
  }
}

function orderFromRow({ id, petId, buyer }: Row): Order {
  return { id: BigInt(id), petId: BigInt(petId), buyer };
}
