export { IdempotencyModule } from './idempotency.module.js';
export { IdempotencyPurge } from './idempotency-purge.js';
export { IdempotencyRecord } from './idempotency.store.js';
export { Idempotent, putIdempotencyOutermost } from './idempotency.interceptor.js';
export { CreateIdempotencyRecords1764201550000 } from './migrations/create-idempotency-records.1764201550000.js';
