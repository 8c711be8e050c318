import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencyGuard } from './idempotency.guard.js';
import { IdempotencyPurge } from './idempotency-purge.js';
import { IdempotencyStore } from './idempotency.store.js';

@Global()
@Module({
  providers: [IdempotencyStore, Idempotency, IdempotencyGuard, IdempotencyPurge],
  exports: [Idempotency, IdempotencyGuard, IdempotencyPurge],
})
export class IdempotencyModule {}
