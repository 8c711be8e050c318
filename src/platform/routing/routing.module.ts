import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { Deprecations, RemovalGuard } from './deprecation.js';
import { PublicUrls, RouteTable } from './route-table.js';

/** The route table, the public addresses, and deprecated operations. */
@Global()
@Module({
  providers: [
    RouteTable,
    { provide: PublicUrls, useFactory: ({ http }: Config) => new PublicUrls(http.publicBaseUrl), inject: [CONFIG] },
    Deprecations,
    RemovalGuard,
  ],
  exports: [RouteTable, PublicUrls, Deprecations],
})
export class RoutingModule {}
