import type { Config } from '../../config/index.js';
import {
  type DriverFault,
  isLeftOpen,
  isOutageFault,
  NotAskedError,
  retryCode,
  spoilsConnection,
  statementFault,
} from '../database-failure.js';
import type { DatabaseWatch } from '../database-watch.js';
import { isCommitted } from '../mysql-session.js';
import type { RetryBudget } from '../retry-budget.js';
import { boundValues, isRead } from '../sql-statements.js';
import type { MysqlConnection } from './mysql-connection.js';
import type { MysqlPool } from './mysql-pool.js';

/** Statements that control a transaction. They are not reported as statements. */
const CONTROL = /^(START TRANSACTION|COMMIT|ROLLBACK)$/;

/** Statements that change the session. The next user of the connection must not get this session. */
const CHANGES_SESSION = /^\s*(SET\s(?!\s*TRANSACTION\s)|USE\s|LOCK\s|FLUSH\s|CREATE\s+TEMPORARY\s|.*\bGET_LOCK\s*\()/is;

/** A statement that sets properties of the next transaction in the session. */
const SETS_TRANSACTION = /^\s*SET\s+TRANSACTION\s/i;

/** What all leases share. */
export interface LeaseTerms {
  readonly settings: Pick<Config['database'], 'acquireTimeoutMs' | 'queryTimeoutMs'>;
  readonly budget: RetryBudget;
  readonly watch: DatabaseWatch;
  /** @throws {NotAskedError} before the database is open. */
  readonly pool: MysqlPool;
  /** @throws {NotAskedError} before features may use the database. */
  requireReady(): void;
}

export interface LeaseOptions {
  /** Limit of each statement. Milliseconds. Infinity: no limit, for a migration. Default: DATABASE_QUERY_TIMEOUT_MS. */
  readonly timeoutMs?: number | undefined;
  /** Whether statements are refused while the database is not ready for features. */
  readonly isGated?: boolean;
}

/**
 * The connection of a TypeORM query runner until `release`. The first statement takes a connection from the pool. If
 * that connection fails before anything was executed on it, the lease takes another one.
 */
export class MysqlLease {
  private connection: MysqlConnection | undefined;
  private takenAt = 0;
  private inTransaction = false;
  /**
   * The fault that ended the transaction or the changed session. Later statements would run outside it, so they get
   * this fault.
   */
  private lost: DriverFault | undefined;
  private sessionChanged = false;
  /** Settles when all earlier statements are done. */
  private turn: Promise<unknown> | undefined;
  /** Whether the session has properties for a transaction that has not begun. */
  private transactionSet = false;

  private readonly timeoutMs: number;
  private readonly isGated: boolean;

  constructor(
    private readonly terms: LeaseTerms,
    { timeoutMs = terms.settings.queryTimeoutMs, isGated = false }: LeaseOptions = {},
  ) {
    this.timeoutMs = timeoutMs;
    this.isGated = isGated;
  }

  /**
   * Runs a statement after the earlier ones. TypeORM sends the updates of one `save` together. If the first one ended
   * the transaction, for example by a deadlock, the server would execute and commit the others outside the transaction.
   *
   * A statement runs again if the server has executed nothing of it, if it is outside a transaction, and if the caller
   * still waits long enough for a whole attempt.
   *
   * @throws {TypeError} (rejects) for a value that no column stores.
   * @throws {Error} (rejects) the error of the driver, `LateError` or `NotAskedError`. It has `outcome: 'unknown'` if a
   * write may have been executed.
   */
  run(sql: string, parameters: readonly unknown[] = []): Promise<unknown> {
    const run = (): Promise<unknown> => this.runNow(sql, parameters);
    this.turn = this.turn === undefined ? run() : this.turn.then(run, run);
    return this.turn;
  }

  private async runNow(sql: string, parameters: readonly unknown[]): Promise<unknown> {
    const values = boundValues(sql, parameters);
    if (CONTROL.test(sql)) return this.control(sql);
    if (this.lost !== undefined) throw this.lost;
    if (this.inTransaction) return this.runInTransaction(sql, values);
    if (CHANGES_SESSION.test(sql)) this.sessionChanged = true;
    if (SETS_TRANSACTION.test(sql)) this.transactionSet = true;
    return this.retrying(async (connection) => {
      const startedAt = performance.now();
      try {
        return await this.runOn(connection, sql, values, startedAt);
      } catch (thrown) {
        throw isRead(sql) ? thrown : withOutcome(thrown as DriverFault);
      }
    });
  }

  /** Releases the connection. Destroys it if it has an open transaction or a changed session. */
  release(): void {
    const { connection } = this;
    if (connection === undefined) return;
    if (this.inTransaction || this.hasOwnSession) this.letGo(() => this.terms.pool.discard(connection));
    else this.letGo(() => this.terms.pool.release(connection));
  }

  private get hasOwnSession(): boolean {
    return this.sessionChanged || this.transactionSet;
  }

  private async control(sql: string): Promise<unknown> {
    if (sql === 'START TRANSACTION') {
      const started = await this.retrying((connection) => connection.run(sql, [], this.timeoutMs));
      this.inTransaction = true;
      this.transactionSet = false;
      this.lost = undefined;
      return started;
    }
    return sql === 'COMMIT' ? this.commit() : this.rollBack();
  }

  private async commit(): Promise<unknown> {
    const { connection, lost } = this;
    if (lost !== undefined) throw lost;
    if (connection === undefined) return undefined;
    const startedAt = performance.now();
    try {
      const done = await connection.run('COMMIT', [], this.timeoutMs);
      requireCommitted(done);
      this.inTransaction = false;
      return done;
    } catch (thrown) {
      const fault = withOutcome(thrown as DriverFault);
      if (isOutageFault(fault)) this.terms.watch.refused('COMMIT', fault, startedAt);
      this.meet(connection, fault);
      throw fault;
    }
  }

  /** If the rollback fails, the connection is destroyed. Then the server rolls back too. */
  private async rollBack(): Promise<void> {
    const { connection } = this;
    this.lost = undefined;
    try {
      await connection?.run('ROLLBACK', [], this.timeoutMs);
      this.inTransaction = false;
    } catch {
      this.release();
      this.inTransaction = false;
    }
  }

  private async runInTransaction(sql: string, values: readonly unknown[]): Promise<unknown> {
    const { connection } = this;
    if (connection === undefined) throw new NotAskedError('The transaction has ended');
    try {
      return await this.runOn(connection, sql, values, performance.now());
    } catch (thrown) {
      this.meet(connection, thrown as DriverFault);
      throw thrown;
    }
  }

  /** Handles a fault inside a transaction, which may have ended the transaction. */
  private meet(connection: MysqlConnection, fault: DriverFault): void {
    if (retryCode(fault, 'transaction') !== undefined || spoilsConnection(fault)) this.lost = fault;
    if (spoilsConnection(fault)) this.letGo(() => this.terms.pool.release(connection, fault));
  }

  private retrying<T>(work: (connection: MysqlConnection) => Promise<T>): Promise<T> {
    const { settings, watch, budget } = this.terms;
    let startedAt = performance.now();
    let connection: MysqlConnection | undefined;
    return budget.retry(
      async () => {
        startedAt = performance.now();
        connection = this.connection;
        connection ??= await this.take(startedAt);
        const result = await work(connection);
        budget.earn();
        return result;
      },
      startedAt + settings.acquireTimeoutMs,
      (thrown) => this.codeToRepeat(thrown as DriverFault, connection, startedAt),
      (code) => watch.retried(code),
    );
  }

  /** After a fault outside a transaction: the error code that makes a retry safe; undefined if it is not safe. */
  private codeToRepeat(
    fault: DriverFault,
    connection: MysqlConnection | undefined,
    startedAt: number,
  ): string | undefined {
    if (connection === undefined) {
      if (!(fault instanceof NotAskedError)) this.terms.watch.unreachable(fault, startedAt);
      return retryCode(fault, 'nothing');
    }
    if (spoilsConnection(fault)) this.letGo(() => this.terms.pool.release(connection, fault));
    if (this.hasOwnSession && this.connection === undefined) this.lost = fault;
    return this.lost === undefined ? retryCode(fault, 'statement') : undefined;
  }

  private async take(startedAt: number): Promise<MysqlConnection> {
    if (this.isGated) this.terms.requireReady();
    this.connection = await this.terms.pool.acquire();
    this.takenAt = performance.now();
    this.terms.watch.connected(startedAt, this.connection.stream);
    return this.connection;
  }

  private letGo(giveBack: () => void): void {
    this.connection = undefined;
    giveBack();
    this.terms.watch.gaveBack(this.takenAt);
  }

  private async runOn(
    connection: MysqlConnection,
    sql: string,
    values: readonly unknown[],
    startedAt: number,
  ): Promise<unknown> {
    const { watch } = this.terms;
    try {
      const result = await connection.run(sql, values, this.timeoutMs);
      if (!this.inTransaction && !this.sessionChanged) requireCommitted(result);
      watch.ran(sql, startedAt);
      return result;
    } catch (thrown) {
      watch.ran(sql, startedAt, statementFault(thrown));
      if (isOutageFault(thrown as DriverFault)) watch.refused(sql, thrown, startedAt);
      throw thrown;
    }
  }
}

/**
 * Checks that a statement outside a transaction, or a COMMIT, was committed, because code may have changed the session.
 *
 * @throws {Error} a fatal one, if the server says that it did not commit.
 */
function requireCommitted(answer: unknown): void {
  if (isCommitted(answer)) return;
  const fault = new Error('The server answered a statement and did not commit it');
  throw Object.assign(fault, { code: 'DATABASE_NOT_COMMITTED', fatal: true });
}

function withOutcome(fault: DriverFault): DriverFault {
  return isLeftOpen(fault) ? Object.assign(fault, { outcome: 'unknown' as const }) : fault;
}
