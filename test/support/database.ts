import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3-v13';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { leftovers } from './leftovers.js';
import { removeScratch, scratchFolder } from './scratch.js';

export type Row = Record<string, unknown>;

/** A test's own database, empty at first, with direct access that bypasses the service. */
export interface TestDatabase {
  /** The value of DATABASE_URL. */
  readonly url: string;
  /** Runs one statement with `?` placeholders. Every integer column is returned as `bigint`. */
  query(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
}

export function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = scratchFolder('sqlite');
  const file = join(folder, 'store.sqlite');
  return Promise.resolve({
    url: `sqlite:${file}`,
    query: (sql, parameters = []) => Promise.resolve(queryFile(file, sql, parameters)),
    drop: async () => removeScratch(folder),
  });
}

/** Opens the file for each statement, so that the test keeps no lock or snapshot. */
function queryFile(file: string, sql: string, parameters: readonly unknown[]): Row[] {
  const connection = new Sqlite(file, { timeout: 5000 });
  try {
    const statement = connection.prepare(sql).safeIntegers(true);
    if (statement.reader) return statement.all(...parameters) as Row[];
    statement.run(...parameters);
    return [];
  } finally {
    connection.close();
  }
}

/**
 * @param serverUrl the URL by which the service reaches the server.
 * @param adminUrl the URL of a user who may create, drop and read databases.
 */
export async function createMysqlDatabase(
  serverUrl: string,
  adminUrl: string,
  name = `store_${String(process.pid)}_${randomBytes(4).toString('hex')}`,
): Promise<TestDatabase> {
  const link = new AdminLink(adminUrl);
  await link.query(`CREATE DATABASE ${name}`);
  await link.use(name);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    query: (sql, parameters = []) => link.query(sql, parameters),
    drop: async () => {
      await link.query(`DROP DATABASE IF EXISTS ${name}`);
      await link.close();
    },
  };
}

/** A connection that reconnects after it was lost, since tests kill servers. */
class AdminLink {
  readonly #url: URL;
  #connection: Connection | undefined;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  async use(database: string): Promise<void> {
    this.#url.pathname = `/${database}`;
    await this.query(`USE ${database}`);
  }

  async query(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const connection = (this.#connection ??= await this.#connect());
    const [rows] = await connection.query<RowDataPacket[]>(sql, [...parameters]);
    return Array.isArray(rows) ? rows : [];
  }

  async close(): Promise<void> {
    await this.#connection?.end();
  }

  async #connect(): Promise<Connection> {
    const connection = await mysql.createConnection({ uri: this.#url.href, typeCast: integersAsBigint });
    connection.on('error', () => (this.#connection = undefined));
    leftovers.add(() => connection.destroy());
    return connection;
  }
}

const INTEGER_TYPES = ['TINY', 'SHORT', 'LONG', 'INT24', 'LONGLONG'];

function integersAsBigint(field: { type: string; string(): string | null }, next: () => unknown): unknown {
  if (!INTEGER_TYPES.includes(field.type)) return next();
  const digits = field.string();
  return digits === null ? null : BigInt(digits);
}
