import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Config } from '../config/index.js';
import type { DatabaseWatch } from './database-watch.js';
import { Database, type Row, type SqlValue, type StatementOptions, type Written } from './database.js';
import { mysqlValues, requireSqlValues } from './sql-values.js';
import { statementFault } from './statement-fault.js';
import { insertStatement } from './insert-statement.js';
import { MysqlPool } from './mysql-pool.js';
import { cut, executeOn, queryOn, requireCommitted, type MysqlConnection } from './mysql-connection.js';
import {
  causeOf,
  isConflict,
  isOutage,
  retryCode,
  spoilsConnection,
  translateMysqlFault,
  translateWriteFault,
  type MysqlFault,
} from './mysql-failure.js';
import { sessionOf } from './prepared-connections.js';
import { RetryBudget } from './retry-budget.js';
import { isRead } from './statement-summary.js';
import { MOST_PARTS, PART, requireColumns, unionStatement } from './union-statement.js';
import { NotAskedError } from './unavailable.js';

/** Tries in all, each after a random pause of up to 50, then 100 ms. */
const TRIES = 3;

/** Database on MySQL 8.4 and MariaDB 10.11+, through the pool that TypeORM opened. */
export class MysqlDatabase extends Database {
  readonly dialect = 'mysql';
  private readonly transactions = new AsyncLocalStorage<MysqlConnection>();
  private readonly pool: MysqlPool;
  private readonly budget = new RetryBudget();

  constructor(
    dataSource: DataSource,
    private readonly settings: Config['database'],
    private readonly watch: DatabaseWatch,
    schemaIsCurrent: () => boolean,
  ) {
    super();
    this.pool = new MysqlPool(dataSource, settings, schemaIsCurrent);
    watch.watchPool(() => this.pool.state);
  }

  async query<T extends Row = Row>(
    sql: string,
    parameters: readonly SqlValue[] = [],
    options: StatementOptions = {},
  ): Promise<T[]> {
    return (await this.run(sql, parameters, options)) as T[];
  }

  async queryEach(sql: string, parameters: readonly (readonly SqlValue[])[]): Promise<Row[][]> {
    requireColumns(sql);
    const results: Row[][] = [];
    for (let from = 0; from < parameters.length; from += MOST_PARTS) {
      results.push(...(await this.queryTogether(sql, parameters.slice(from, from + MOST_PARTS))));
    }
    return results;
  }

  private async queryTogether(sql: string, parameters: readonly (readonly SqlValue[])[]): Promise<Row[][]> {
    const [first = []] = parameters;
    if (parameters.length === 1) return [await this.query(sql, first)];
    const results: Row[][] = parameters.map(() => []);
    for (const row of await this.query(unionStatement(sql, parameters.length), parameters.flat())) {
      results[row[PART] as number]?.push(row);
    }
    return results;
  }

  async execute(sql: string, parameters: readonly SqlValue[] = [], options: StatementOptions = {}): Promise<Written> {
    const result = (await this.run(sql, parameters, options)) as { affectedRows: number; insertId: number | string };
    return { affectedRows: result.affectedRows, insertId: BigInt(result.insertId) };
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<readonly bigint[]> {
    const sql = insertStatement(table, columns, rows.length);
    return this.anywhere(async (connection) => {
      // MariaDB says each id. MySQL says the first; a statement with a known number of rows gets consecutive ones, in
      // every innodb_autoinc_lock_mode, apart by the session's auto_increment_increment.
      const { idStep: step } = sessionOf(connection);
      if (step === undefined) {
        const made = (await this.on(connection, `${sql} RETURNING id`, rows.flat())) as Row[];
        return made.map((row) => row['id'] as bigint);
      }
      const { insertId } = (await this.on(connection, sql, rows.flat())) as { insertId: number | string };
      return rows.map((_, index) => BigInt(insertId) + BigInt(index) * step);
    });
  }

  get inTransaction(): boolean {
    return this.transactions.getStore() !== undefined;
  }

  async transaction<T>(work: () => Promise<T>, isolation?: 'READ UNCOMMITTED'): Promise<T> {
    if (this.transactions.getStore() !== undefined) return work();
    return this.retrying('transaction', (connection) => this.transact(connection, work, isolation));
  }

  private run(sql: string, parameters: readonly SqlValue[], options: StatementOptions): Promise<unknown> {
    return this.anywhere((connection) => this.on(connection, sql, parameters, options));
  }

  /** On the connection of the transaction that the code is in, else on any. */
  private anywhere<T>(work: (connection: MysqlConnection) => Promise<T>): Promise<T> {
    const joined = this.transactions.getStore();
    return joined === undefined ? this.retrying('statement', work) : work(joined);
  }

  /**
   * Runs `work` on a connection of its own; again where the server is known to have done nothing of it, as long as
   * whoever asked can still be waiting for a whole try.
   */
  private async retrying<T>(
    unit: 'statement' | 'transaction',
    work: (connection: MysqlConnection) => Promise<T>,
  ): Promise<T> {
    const { acquireTimeoutMs, queryTimeoutMs } = this.settings;
    const lastTryAt = performance.now() + acquireTimeoutMs + (unit === 'transaction' ? queryTimeoutMs : 0);
    for (let attempt = 1; ; attempt += 1) {
      const startedAt = performance.now();
      let connection: MysqlConnection | undefined;
      let takenAt = startedAt;
      try {
        connection = await this.pool.acquire();
        this.watch.connected(startedAt, connection.stream);
        takenAt = performance.now();
        const result = await work(connection);
        this.pool.release(connection);
        this.watch.gaveBack(takenAt);
        this.budget.earn();
        return result;
      } catch (thrown) {
        const fault = causeOf(thrown);
        if (connection !== undefined) {
          this.pool.giveBack(connection, fault);
          this.watch.gaveBack(takenAt);
        } else if (!(fault instanceof NotAskedError)) this.watch.unreachable(fault, startedAt);
        const code = retryCode(fault, connection === undefined ? 'nothing' : unit);
        if (code === undefined || attempt === TRIES || performance.now() > lastTryAt) throw thrown;
        if (!isConflict(code) && !this.budget.spend()) throw thrown;
        this.watch.retried(code);
        await sleep(Math.random() * 50 * attempt);
      }
    }
  }

  private async transact<T>(connection: MysqlConnection, work: () => Promise<T>, isolation?: string): Promise<T> {
    const { queryTimeoutMs } = this.settings;
    if (isolation !== undefined) {
      await queryOn(connection, `SET TRANSACTION ISOLATION LEVEL ${isolation}`, queryTimeoutMs);
    }
    await queryOn(connection, 'START TRANSACTION', queryTimeoutMs);
    try {
      const result = await this.transactions.run(connection, work);
      await this.commit(connection);
      return result;
    } catch (thrown) {
      // A spoiled connection is destroyed, which rolls back on the server too.
      const usable = !spoilsConnection(causeOf(thrown));
      if (usable) await queryOn(connection, 'ROLLBACK', queryTimeoutMs).catch(() => cut(connection));
      throw thrown;
    }
  }

  private async commit(connection: MysqlConnection): Promise<void> {
    const startedAt = performance.now();
    try {
      requireCommitted(await queryOn(connection, 'COMMIT', this.settings.queryTimeoutMs));
    } catch (thrown) {
      const fault = translateWriteFault(causeOf(thrown));
      if (isOutage(fault)) this.watch.refused('COMMIT', causeOf(fault), startedAt);
      throw fault;
    }
  }

  private async on(
    connection: MysqlConnection,
    sql: string,
    parameters: readonly SqlValue[],
    options: StatementOptions = {},
  ): Promise<unknown> {
    requireSqlValues(sql, parameters);
    const values = mysqlValues(parameters, sessionOf(connection).integer);
    const startedAt = performance.now();
    try {
      const result = await executeOn(connection, sql, values, options.timeoutMs ?? this.settings.queryTimeoutMs);
      if (!this.inTransaction) requireCommitted(result);
      this.watch.ran(sql, startedAt);
      return result;
    } catch (thrown) {
      const fault = thrown as MysqlFault;
      this.watch.ran(sql, startedAt, statementFault(fault));
      const alone = !this.inTransaction && !isRead(sql);
      const translated = alone ? translateWriteFault(fault) : translateMysqlFault(fault);
      if (isOutage(translated)) this.watch.refused(sql, causeOf(translated), startedAt);
      throw translated;
    }
  }
}
