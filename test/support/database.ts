import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3-v13';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { leftovers } from './leftovers.js';
import { removeScratch, scratchFolder } from './scratch.js';

export type Row = Record<string, unknown>;

/** A database of a test's own, empty at first, and a way to look into it past the service. */
export interface TestDatabase {
  /** As DATABASE_URL takes it. */
  readonly url: string;
  /** Runs one statement with `?` placeholders. Every integer column comes as `bigint`. */
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

/** Opened for each statement, so that no lock or snapshot of the test's outlives it. */
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
 * @param serverUrl the service's own way to the server.
 * @param adminUrl the way of someone who may create and drop databases, and who looks into them.
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

/** A connection that is made again once it was lost: tests kill servers. */
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
