import { applyDecorators, UseInterceptors } from '@nestjs/common';
import { declareRoute } from '../routing/index.js';
import { IdempotencyInterceptor } from './idempotency.interceptor.js';

/**
 * Lets clients repeat a POST safely with `Idempotency-Key`: the handler runs in one transaction with the record of its
 * answer, and a repeat within 24 hours gets that answer with `Idempotent-Replayed: true`.
 */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(declareRoute({ idempotent: true }), UseInterceptors(IdempotencyInterceptor));
