import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencyPurge } from './idempotency-purge.js';
import { IdempotencyStore } from './idempotency.store.js';

@Global()
@Module({
  providers: [IdempotencyStore, Idempotency, IdempotencyPurge],
  exports: [Idempotency, IdempotencyPurge],
})
export class IdempotencyModule {}
