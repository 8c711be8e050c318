import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { ApiKeyEntity } from '../platform/auth/index.js';

/** A database that only one application under test has. */
export interface TestDatabase {
  /** In the form of DATABASE_URL. */
  readonly url: string;
  drop(): Promise<void>;
}

const inMemory: TestDatabase = { url: 'sqlite::memory:', drop: () => Promise.resolve() };

/**
 * Makes an empty database.
 *
 * @param server of MySQL or MariaDB, `mysql://LOGIN:PASSWORD@HOST:PORT`, with a login that may create databases; a database in
 *   memory where it is left out. One that a killed test leaves behind is called `animal_store_test_…`.
 */
export async function createTestDatabase(server: string | undefined): Promise<TestDatabase> {
  if (server === undefined || server === '') return inMemory;
  const url = new URL(server);
  const { default: mysql } = await import('mysql2/promise');
  const run = async (sql: string): Promise<void> => {
    const connection = await mysql.createConnection({ uri: server });
    await connection.query(sql).finally(() => connection.end());
  };
  const name = `animal_store_test_${randomBytes(8).toString('hex')}`;
  url.pathname = `/${name}`;
  await run(`CREATE DATABASE ${name}`);
  return { url: url.href, drop: () => run(`DROP DATABASE ${name}`) };
}

/** Empties every table of an entity but that of the keys, and has ids begin at 1 again. */
export async function emptyTables(dataSource: DataSource): Promise<void> {
  const isMySql = dataSource.options.type === 'mysql';
  const tables = dataSource.entityMetadatas
    .filter(({ tableType, target }) => ['regular', 'junction'].includes(tableType) && target !== ApiKeyEntity)
    .map(({ tableName }) => tableName);
  const quoted = (table: string) => dataSource.driver.escape(table);
  const runner = dataSource.createQueryRunner();
  try {
    await runner.query(isMySql ? 'SET FOREIGN_KEY_CHECKS = 0' : 'PRAGMA foreign_keys = OFF');
    for (const table of tables.map(quoted)) {
      await runner.query(isMySql ? `TRUNCATE TABLE ${table}` : `DELETE FROM ${table}`);
    }
    if (!isMySql) await forgetIds(tables, (sql) => runner.query(sql) as Promise<unknown[]>);
  } finally {
    await runner.query(isMySql ? 'SET FOREIGN_KEY_CHECKS = 1' : 'PRAGMA foreign_keys = ON');
    await runner.release();
  }
}

/** SQLite has the table of last ids once a table with AUTOINCREMENT was made. */
async function forgetIds(tables: readonly string[], query: (sql: string) => Promise<unknown[]>): Promise<void> {
  const known = await query("SELECT name FROM sqlite_master WHERE name = 'sqlite_sequence'");
  const names = tables.map((table) => `'${table}'`).join(', ');
  if (known.length > 0) await query(`DELETE FROM sqlite_sequence WHERE name IN (${names})`);
}
