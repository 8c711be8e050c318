import { Idempotent, Paginated, Raises, RequireScope, Stability, type Page } from 'animal-store';
import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ListOrdersQuery, NewOrderBody, orderBody, OrderBody } from './orders.dto.js';
import { orderedPetMissing, orderedPetSold } from './orders.errors.js';
import { OrdersService } from './orders.service.js';

@Controller('store/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Get()
  @ApiOperation({ summary: 'List orders', description: 'Page by page, of any status or of one.' })
  @ApiOkResponse({ description: 'A page of orders, by ascending id.', type: [OrderBody] })
  @RequireScope('orders:read')
  @Paginated()
  @Stability('beta')
  async listOrders(@Query() query: ListOrdersQuery): Promise<Page<OrderBody>> {
    const { limit, status } = query;
    return query.page(await this.orders.listOrders({ after: query.after(), limit, status }), orderBody);
  }

  @Post()
  @ApiOperation({ summary: 'Order a pet' })
  @ApiCreatedResponse({ description: 'Ordered.', type: OrderBody })
  @RequireScope('orders:write')
  @Idempotent()
  @Raises(orderedPetMissing, orderedPetSold)
  @Stability('beta')
  async placeOrder(@Body() order: NewOrderBody): Promise<OrderBody> {
    return orderBody(await this.orders.placeOrder(order));
  }
}
