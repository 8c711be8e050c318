import { Body, Controller, Get, Post, Query, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Scope } from './api-key.guard.js';
import { decodeCursor, nextLink } from './cursor.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { ListOrdersQuery, NewOrderBody, OrderBody } from './orders.dto.js';
import { OrdersRepository } from './orders.repository.js';
import { strict } from './validation.js';

@ApiBearerAuth()
@Controller('store/orders')
export class OrdersController {
  constructor(private readonly orders: OrdersRepository) {}

  @Get()
  @ApiOkResponse({ description: 'A page of orders.', type: [OrderBody] })
  @Scope('orders:read')
  async listOrders(
    @Query(strict('parameter')) { limit, cursor }: ListOrdersQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrderBody[]> {
    const many = Number(limit);
    const orders = await this.orders.list(decodeCursor(cursor), many + 1);
    const page = orders.slice(0, many);
    const last = page.at(-1);
    if (orders.length > many && last !== undefined) response.setHeader('Link', nextLink(request, last.id));
    return page;
  }

  @Post()
  @ApiCreatedResponse({ description: 'Ordered.', type: OrderBody })
  @Scope('orders:write')
  @UseInterceptors(IdempotencyInterceptor)
  createOrder(@Body(strict('field')) order: NewOrderBody): Promise<OrderBody> {
    return this.orders.insert(order);
  }
}
