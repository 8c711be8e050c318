import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import { Database, type Row, type SqlValue, type StatementOptions, type Written } from './database.js';
import { within } from './deadline.js';
import { isRetryable, spoilsConnection, translateMysqlFault, type MysqlFault } from './mysql-failure.js';
import { MysqlPool, type MysqlConnection } from './mysql-pool.js';

/** Tries of one statement in all; each after a random pause up to 50, then 100 ms. */
const TRIES = 3;

/** Database on MySQL 8.4 and MariaDB 10.11+, through the pool that TypeORM opened. */
export class MysqlDatabase extends Database {
  readonly dialect = 'mysql';
  private readonly transactions = new AsyncLocalStorage<MysqlConnection>();
  private readonly pool: MysqlPool;

  constructor(
    dataSource: DataSource,
    private readonly settings: Config['database'],
  ) {
    super();
    this.pool = new MysqlPool(dataSource, settings);
  }

  async query<T extends Row = Row>(
    sql: string,
    parameters?: readonly SqlValue[],
    options?: StatementOptions,
  ): Promise<T[]> {
    return (await this.run(sql, parameters, options)) as T[];
  }

  async execute(sql: string, parameters?: readonly SqlValue[], options?: StatementOptions): Promise<Written> {
    const result = (await this.run(sql, parameters, options)) as { affectedRows: number; insertId: number | string };
    return { affectedRows: result.affectedRows, insertId: BigInt(result.insertId) };
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    if (this.transactions.getStore() !== undefined) return work();
    const connection = await this.pool.acquire();
    try {
      await this.control(connection, 'START TRANSACTION');
      const result = await this.transactions.run(connection, work);
      await this.control(connection, 'COMMIT');
      this.pool.release(connection);
      return result;
    } catch (fault) {
      await this.abandon(connection, fault as MysqlFault);
      throw fault;
    }
  }

  private async run(
    sql: string,
    parameters: readonly SqlValue[] = [],
    options: StatementOptions = {},
  ): Promise<unknown> {
    const joined = this.transactions.getStore();
    if (joined !== undefined) return this.on(joined, sql, parameters, options);
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.pool.acquire();
      try {
        const result = await this.onRaw(connection, sql, parameters, options);
        this.pool.release(connection);
        return result;
      } catch (fault) {
        this.pool.discardOrRelease(connection, spoilsConnection(fault as MysqlFault));
        // Outside a transaction a statement that met these was rolled back whole, so it may run again.
        if (!isRetryable(fault as MysqlFault) || attempt === TRIES) throw translateMysqlFault(fault as MysqlFault);
        await sleep(Math.random() * 50 * attempt);
      }
    }
  }

  private async on(
    connection: MysqlConnection,
    sql: string,
    parameters: readonly SqlValue[],
    options: StatementOptions,
  ): Promise<unknown> {
    try {
      return await this.onRaw(connection, sql, parameters, options);
    } catch (fault) {
      throw translateMysqlFault(fault as MysqlFault);
    }
  }

  private onRaw(
    connection: MysqlConnection,
    sql: string,
    parameters: readonly SqlValue[],
    options: StatementOptions,
  ): Promise<unknown> {
    const running = new Promise<unknown>((resolve, reject) => {
      connection.execute(sql, parameters as SqlValue[], (fault, result, fields) => {
        if (fault) reject(fault);
        else resolve(Array.isArray(result) ? exactIntegers(result as Record<string, unknown>[], fields) : result);
      });
    });
    return within(options.timeoutMs ?? this.settings.queryTimeoutMs, running, () => connection.destroy());
  }

  /** BEGIN and its like: not every server prepares them. */
  private control(connection: MysqlConnection, sql: string): Promise<void> {
    const running = new Promise<void>((resolve, reject) => {
      connection.query(sql, (fault) => (fault ? reject(translateMysqlFault(fault)) : resolve()));
    });
    return within(this.settings.queryTimeoutMs, running, () => connection.destroy());
  }

  /** Rolls back where the connection still answers and is fit for more; else destroys it, which rolls back too. */
  private async abandon(connection: MysqlConnection, thrown: unknown): Promise<void> {
    const cause = thrown instanceof Error ? (thrown.cause as MysqlFault | undefined) : undefined;
    const spoiled = cause !== undefined && spoilsConnection(cause);
    const undone =
      !spoiled &&
      (await this.control(connection, 'ROLLBACK').then(
        () => true,
        () => false,
      ));
    this.pool.discardOrRelease(connection, !undone);
  }
}

/** MySQL's numbers of TINY, SHORT, LONG, LONGLONG and INT24 columns. */
const INTEGER_TYPES: ReadonlySet<number> = new Set([1, 2, 3, 8, 9]);

/** Every integer column as bigint, as SQLite gives it too. */
function exactIntegers(
  rows: Record<string, unknown>[],
  fields: readonly { name: string; columnType?: number }[],
): unknown[] {
  const integers = fields.filter((field) => INTEGER_TYPES.has(field.columnType ?? -1)).map((field) => field.name);
  for (const row of rows) {
    for (const name of integers) if (row[name] !== null) row[name] = BigInt(row[name] as string);
  }
  return rows;
}
