import { defineFeature } from 'animal-store';
import { ChangeOrders1764374400000 } from './change-orders.js';
import { CreateOrders1764288000000 } from './create-orders.js';
import { orderedPetMissing, orderedPetSold } from './orders.errors.js';
import { OrdersModule } from './orders.module.js';

export const orders = defineFeature({
  name: 'orders',
  platform: '^1.0.0',
  module: OrdersModule,
  migrations: [CreateOrders1764288000000, ChangeOrders1764374400000],
  scopes: { 'orders:read': 'List orders', 'orders:write': 'Order pets' },
  errors: [orderedPetMissing, orderedPetSold],
});
