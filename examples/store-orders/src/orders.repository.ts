import { sliceOf, type Slice } from 'animal-store';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type FindOptionsWhere, type Repository } from 'typeorm';
import { Order, type NewOrder, type OrderStatus } from './order.entity.js';

/** Selects one page of a list. */
export interface OrderSelection {
  /** Only orders with a greater id. 0n: all orders. */
  readonly after: bigint;
  readonly limit: number;
  readonly status?: OrderStatus | undefined;
}

/** Orders in the database. */
@Injectable()
export class OrdersRepository {
  constructor(@InjectRepository(Order) private readonly orders: Repository<Order>) {}

  async insert(order: NewOrder): Promise<Order> {
    const placed = this.orders.create(order);
    await this.orders.insert(placed);
    return placed;
  }

  /** Ascending by id. The query reads one row more than the limit, to know whether there are more. */
  async list({ after, limit, status }: OrderSelection): Promise<Slice<Order>> {
    const where: FindOptionsWhere<Order> = { id: MoreThan(after), ...(status === undefined ? {} : { status }) };
    return sliceOf(await this.orders.find({ where, order: { id: 'ASC' }, take: limit + 1 }), limit);
  }
}
