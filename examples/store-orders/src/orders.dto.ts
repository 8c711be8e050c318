import { EnumParameter, EnumProperty, Int64Property, IntegerProperty, PageQuery, TextProperty } from 'animal-store';
import { ApiSchema } from '@nestjs/swagger';
import { OrderStatus, type Order } from './order.entity.js';

const status = { enum: OrderStatus, enumName: 'OrderStatus', description: 'How far the order has come.' } as const;
const petId = { minimum: 1n, description: 'The pet that is ordered.', example: 1n } as const;

/** The body of `placeOrder`. */
@ApiSchema({ name: 'NewOrder' })
export class NewOrderBody {
  @Int64Property(petId)
  petId: bigint;

  @IntegerProperty({ minimum: 1, maximum: 100, default: 1, description: 'How many of them.', example: 1 })
  quantity: number = 1;
}

/** An order as clients see it. */
@ApiSchema({ name: 'Order' })
export class OrderBody {
  @Int64Property({ minimum: 1n, description: 'Given by the store.', example: 1n })
  id: bigint;

  @Int64Property(petId)
  petId: bigint;

  @IntegerProperty({ minimum: 1, maximum: 100, description: 'How many of them.', example: 1 })
  quantity: number;

  @EnumProperty({ ...status, example: 'placed' })
  status: OrderStatus;

  @TextProperty({ maxLength: 24, description: 'When it was placed, UTC.', example: '2025-12-05T12:00:00.000Z' })
  placedAt: string;
}

/** The query of `listOrders`. */
export class ListOrdersQuery extends PageQuery {
  @EnumParameter({ ...status, required: false })
  status?: OrderStatus;
}

export function orderBody({ id, petId, quantity, status, placedAt }: Order): OrderBody {
  return { id, petId, quantity, status, placedAt: new Date(Number(placedAt)).toISOString() };
}
