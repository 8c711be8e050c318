import { randomBytes } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { ApiKeyEntity } from '../platform/auth/index.js';

/** The database of one application under test. */
export interface TestDatabase {
  /** As a value of DATABASE_URL. */
  readonly url: string;
  drop(): Promise<void>;
}

const inMemory: TestDatabase = { url: 'sqlite::memory:', drop: () => Promise.resolve() };

/**
 * Creates an empty database.
 *
 * @param server a MySQL or MariaDB server, `mysql://LOGIN:PASSWORD@HOST:PORT`, with a login that may create databases.
 * Default, and if empty: a database in memory. A database that a killed test leaves behind is called
 * `animal_store_test_…`.
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

/** Empties the table of every entity except the keys, and lets ids begin at 1 again. */
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

/** SQLite creates the table of the last ids with the first AUTOINCREMENT table, so it may be absent. */
async function forgetIds(tables: readonly string[], query: (sql: string) => Promise<unknown[]>): Promise<void> {
  const known = await query("SELECT name FROM sqlite_master WHERE name = 'sqlite_sequence'");
  const names = tables.map((table) => `'${table}'`).join(', ');
  if (known.length > 0) await query(`DELETE FROM sqlite_sequence WHERE name IN (${names})`);
}
