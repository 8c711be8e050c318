import { Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';
import { DataSource } from 'typeorm';

/** As Nest's recipe for TypeORM has it. */
@Module({
  providers: [
    {
      provide: 'ARCHIVE',
      useFactory: () => new DataSource({ type: 'mysql', url: 'mysql://ann:word@127.0.0.1:1/archive' }),
    },
    // The service's own by another name is none of its own.
    { provide: 'STORE', useExisting: DataSource },
  ],
})
class ArchivesModule {}

export const archives = defineFeature({ name: 'archives', platform: '^1.0.0', module: ArchivesModule });
