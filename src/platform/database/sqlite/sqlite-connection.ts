import type BetterSqlite3 from 'better-sqlite3-v13';
import { createLRU } from 'lru.min';
import { boundValue } from '../sql-values.js';
import { MOST_STATEMENTS } from '../statement-summary.js';
import { SqliteFiles } from './sqlite-files.js';

/** Milliseconds that SQLite may block the process waiting for another process's lock, outside of the first look. */
const BUSY_MS = 50;

export interface SqliteResult {
  /** Of a statement that reads, or says what it wrote. */
  readonly rows: Record<string, unknown>[] | undefined;
  readonly changes: number;
  readonly lastId: bigint;
}

type Convert = (value: unknown) => unknown;

interface Prepared {
  readonly statement: BetterSqlite3.Statement;
  /** What is to be done with the values of some columns, by their names. */
  readonly converts: readonly (readonly [name: string, convert: Convert])[];
}

/** The one connection to an SQLite file: statements stay prepared, and values are those that MySQL gives. */
export class SqliteConnection {
  private readonly files: SqliteFiles;
  private readonly prepared = createLRU<string, Prepared>({ max: MOST_STATEMENTS });

  /** Acknowledged means durable: a commit is on the disk when it returns (WAL with synchronous=FULL). */
  constructor(private readonly database: BetterSqlite3.Database) {
    database.pragma('busy_timeout = 5000');
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    // The write-ahead log is there from the first read on.
    database.prepare('SELECT name FROM sqlite_schema LIMIT 1').all();
    this.files = new SqliteFiles(database);
    database.pragma(`busy_timeout = ${BUSY_MS}`);
    database.pragma('foreign_keys = ON');
  }

  get open(): boolean {
    return this.database.open;
  }

  get inTransaction(): boolean {
    return this.database.inTransaction;
  }

  /** @throws what SQLite says. @throws {TypeError} for a value that is none. */
  run(sql: string, parameters: readonly unknown[]): SqliteResult {
    const { statement, converts } = this.prepare(sql);
    const values = parameters.map(storedValue);
    if (statement.reader) {
      const rows = this.files.run(statement, () => statement.all(...values)) as Record<string, unknown>[];
      return { rows: converted(rows, converts), changes: rows.length, lastId: 0n };
    }
    const { changes, lastInsertRowid } = this.files.run(statement, () => statement.run(...values));
    // What is known of columns may be another now.
    if (/^\s*(ALTER|CREATE|DROP)\b/i.test(sql)) this.prepared.clear();
    return { rows: undefined, changes, lastId: BigInt(lastInsertRowid) };
  }

  /** As TypeORM asks for it, with numbers. */
  pragma(text: string): unknown {
    return this.database.pragma(text);
  }

  close(): void {
    this.database.close();
  }

  private prepare(sql: string): Prepared {
    let prepared = this.prepared.get(sql);
    if (prepared === undefined) {
      const statement = this.database.prepare(sql).safeIntegers(true);
      prepared = { statement, converts: statement.reader ? convertsOf(statement) : [] };
      this.prepared.set(sql, prepared);
    }
    return prepared;
  }
}

/** A point in time as TypeORM writes it. */
function storedValue(value: unknown): unknown {
  const bound = boundValue(value);
  return bound instanceof Date ? bound.toISOString().replace('T', ' ').replace('Z', '') : bound;
}

function convertsOf(statement: BetterSqlite3.Statement): [string, Convert][] {
  return statement.columns().map(({ name, type }) => [name, convertOf(type ?? '')]);
}

function convertOf(type: string): Convert {
  if (/^(datetime|timestamp)\b/i.test(type)) return toDate;
  const decimal = /^(?:decimal|dec|numeric|fixed)\b(?:\s*\(\s*\d+\s*(?:,\s*(\d+)\s*)?\))?/i.exec(type);
  return decimal === null ? toInteger : (value) => toDecimal(value, Number(decimal[1] ?? 0));
}

function converted(rows: Record<string, unknown>[], converts: Prepared['converts']): Record<string, unknown>[] {
  for (const row of rows) for (const [name, convert] of converts) row[name] = convert(row[name]);
  return rows;
}

/** A number where that is exact. */
function toInteger(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function toDate(value: unknown): unknown {
  return typeof value === 'string' ? new Date(value.replace(' ', 'T').replace(/Z?$/, 'Z')) : value;
}

function toDecimal(value: unknown, scale: number): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value).toFixed(scale) : value;
}
