import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import { DataSource } from 'typeorm';

/** Its own DataSource, as in Nest's recipe for TypeORM. */
@Module({
  providers: [
    {
      provide: 'ARCHIVE',
      useFactory: () => new DataSource({ type: 'mysql', url: 'mysql://ann:word@127.0.0.1:1/archive' }),
    },
    // An alias of the service's DataSource is allowed.
    { provide: 'STORE', useExisting: DataSource },
  ],
})
class ArchivesModule {}

export const archives = defineFeature({ name: 'archives', platform: '^1.0.0', module: ArchivesModule });
