import { createRequire } from 'node:module';
import { DataSource } from 'typeorm';
import { CreateOrders1764300000000 } from './create-orders.js';
import { Order } from './order.entity.js';

export function openDatabase(): Promise<DataSource> {
  return new DataSource({
    type: 'better-sqlite3',
    driver: createRequire(import.meta.url)('better-sqlite3-v13') as unknown,
    database: (process.env['DATABASE_URL'] ?? 'sqlite:orders.sqlite').slice('sqlite:'.length),
    entities: [Order],
    migrations: [CreateOrders1764300000000],
    migrationsRun: true,
  }).initialize();
}
