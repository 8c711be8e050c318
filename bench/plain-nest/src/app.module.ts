import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { ApiKeyGuard } from './api-key.guard.js';
import { openDatabase } from './database.js';
import { HealthController } from './health.controller.js';
import { OrdersController } from './orders.controller.js';
import { OrdersRepository } from './orders.repository.js';

@Module({
  controllers: [OrdersController, HealthController],
  providers: [
    OrdersRepository,
    { provide: DataSource, useFactory: openDatabase },
    { provide: APP_GUARD, useClass: ApiKeyGuard },
  ],
})
export class AppModule {}
