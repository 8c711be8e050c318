import { Global, Module } from '@nestjs/common';
import { Idempotency } from './idempotency.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';
import { IdempotencyPurge } from './idempotency-purge.js';
import { IdempotencyStore } from './idempotency.store.js';

@Global()
@Module({
  providers: [IdempotencyStore, Idempotency, IdempotencyInterceptor, IdempotencyPurge],
  exports: [Idempotency, IdempotencyInterceptor, IdempotencyPurge],
})
export class IdempotencyModule {}
