import { Global, Module } from '@nestjs/common';
import { Health } from './health.js';

/** Readiness, to which a feature may contribute. */
@Global()
@Module({ providers: [Health], exports: [Health] })
export class HealthModule {}
