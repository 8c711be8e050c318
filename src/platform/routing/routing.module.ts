import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/index.js';
import { PublicUrls } from './public-urls.js';
import { RouteTable } from './route-table.js';

/** The table of routes, and the addresses by which clients know them. */
@Global()
@Module({
  providers: [
    RouteTable,
    { provide: PublicUrls, useFactory: ({ http }: Config) => new PublicUrls(http.publicBaseUrl), inject: [CONFIG] },
  ],
  exports: [RouteTable, PublicUrls],
})
export class RoutingModule {}
