import { Global, Module } from '@nestjs/common';
import { Deprecations, RemovalGuard } from './deprecations.js';

/** The headers of deprecated operations, and 410 after their sunset. */
@Global()
@Module({ providers: [Deprecations, RemovalGuard], exports: [Deprecations] })
export class DeprecationModule {}
