import { Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { PlatformDataSource } from './data-source.js';

/** Provides `TypeOrmModule.forFeature`, `DataSource` and `EntityManager`. `DatabaseLink` opens the data source. */
@Module({})
export class DatabaseModule {
  static on(dataSource: PlatformDataSource): DynamicModule {
    const root = TypeOrmModule.forRootAsync({
      useFactory: () => ({ ...dataSource.options, manualInitialization: true }),
      dataSourceFactory: () => Promise.resolve(dataSource),
    });
    return { module: DatabaseModule, imports: [root] };
  }
}
