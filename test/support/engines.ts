import { describe } from '@jest/globals';
import { createMysqlDatabase, createSqliteDatabase, type TestDatabase } from './database.js';
import { findDatabaseServer } from './mariadb.js';

export interface Engine {
  readonly name: 'sqlite' | 'mysql';
  createDatabase(): Promise<TestDatabase>;
}

const sqlite: Engine = { name: 'sqlite', createDatabase: createSqliteDatabase };

/**
 * Runs one suite on each engine that the service supports, as `SUITE on sqlite` and `SUITE on mysql`. Without a MySQL
 * server the second is skipped, which fails the run unless ALLOW_SKIP=1.
 */
export function onEachEngine(suite: string, tests: (engine: Engine) => void): void {
  describe(`${suite} on sqlite`, () => {
    tests(sqlite);
  });
  onMysql(suite, tests);
}

/** Runs a suite on MySQL only, for what an embedded database does not have. */
export function onMysql(suite: string, tests: (engine: Engine) => void): void {
  const mysql = findMysql();
  (mysql.available ? describe : describe.skip)(`${suite} on mysql`, () => {
    tests(mysql);
  });
}

/** Runs a suite that starts its own database servers, so that it can damage them. Skipped like `onMysql`. */
export function onOwnServer(suite: string, tests: () => void): void {
  (findDatabaseServer() === undefined ? describe.skip : describe)(suite, tests);
}

/** The server that the global setup of Jest started, or that TEST_DATABASE_URL names. */
function findMysql(): Engine & { available: boolean } {
  const serverUrl = process.env['TEST_MYSQL_URL'] ?? '';
  const adminUrl = process.env['TEST_MYSQL_ADMIN_URL'] ?? '';
  return {
    name: 'mysql',
    available: serverUrl !== '',
    createDatabase: () => createMysqlDatabase(serverUrl, adminUrl),
  };
}
