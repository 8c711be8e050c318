import { createRequire } from 'node:module';
import { ConfigModule } from '@nestjs/config';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { GazetteModule } from './gazette.module.js';
import { CreateGazette1764301000000 } from './migrations/create-gazette.1764301000000.js';

/** The root module of the plain Nest application. */
export function ordinaryModules(databaseUrl: string) {
  const [, file] = /^sqlite:(.*)$/.exec(databaseUrl) ?? [];
  const driver = createRequire(import.meta.url)('better-sqlite3-v13') as unknown;
  const target =
    file === undefined ? { type: 'mysql', url: databaseUrl } : { type: 'better-sqlite3', database: file, driver };
  const common = { autoLoadEntities: true, migrationsRun: true, migrations: [CreateGazette1764301000000] };
  return [
    ConfigModule.forRoot({ ignoreEnvFile: true, isGlobal: true }),
    TypeOrmModule.forRoot({ ...target, ...common } as TypeOrmModuleOptions),
    GazetteModule,
  ];
}
