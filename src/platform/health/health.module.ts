import { Global, Module } from '@nestjs/common';
import { Health } from './health.js';

/** Readiness. A feature may add a check to it. */
@Global()
@Module({ providers: [Health], exports: [Health] })
export class HealthModule {}
