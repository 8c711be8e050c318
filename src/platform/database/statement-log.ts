import { AbstractLogger, type QueryRunner } from 'typeorm';
import { framesOf } from '../logging/index.js';
import { isMissingTable } from './database-failure.js';

/** The state that the platform adds to a query runner. */
export class RunnerState {
  /** Whether statements are refused while the database is not ready for features. */
  isGated = false;
  /** Whether a transaction uses the runner. Then `release` has no effect until the transaction ends. */
  isHeld = false;
  /**
   * Limit of each statement. Milliseconds, set before the first statement. Default: DATABASE_QUERY_TIMEOUT_MS. Infinity
   * for a migration. SQLite cannot interrupt a running statement.
   */
  timeoutMs: number | undefined;
  /** The stack frames that sent the last statement, for the log. */
  callers: string | undefined;
}

/** TypeORM's query runner, as the drivers of the platform create it. */
export type PlatformRunner = QueryRunner & { readonly state: RunnerState };

/** The table in which TypeORM records the applied migrations. */
export const MIGRATION_TABLE = 'migration';

/** Error codes that a feature may expect. They are logged at level debug. */
const EXPECTED = /^(ER_DUP_ENTRY|ER_ROW_IS_REFERENCED.*|ER_NO_REFERENCED_ROW.*|SQLITE_CONSTRAINT.*)$/;

/** The log for refused statements. */
export interface StatementTarget {
  warn(fields: { readonly statement: string; readonly sent_by: string | undefined }, message: string): void;
  debug(fields: object, message: string): void;
}

/**
 * Logs refused statements: the message of the engine, the statement, and the lines of code that sent it. They may
 * contain data of a client, so outside development only statements of migrations are logged.
 */
export class StatementLog extends AbstractLogger {
  /** @param target undefined if there is no log. */
  constructor(
    private readonly target: StatementTarget | undefined,
    private readonly isDevelopment: boolean,
  ) {
    super();
  }

  /**
   * The stack frames of the caller, if a refused statement would be logged. They are read when the statement is sent,
   * because later the stack has only the code that awaits it.
   */
  callers(state?: RunnerState): string | undefined {
    return this.isLogged(state) ? framesOf(new Error().stack) : undefined;
  }

  override logQueryError(error: string | Error, statement: string, _parameters?: unknown, runner?: QueryRunner): void {
    this.logRefused(error, statement, (runner as PlatformRunner | undefined)?.state);
  }

  /** @param callers the frames from when the statement was sent. Default: the current frames. */
  logRefused(error: string | Error, statement: string, state?: RunnerState, callers = state?.callers): void {
    if (this.target === undefined || !this.isLogged(state)) return;
    // In an empty database the migration table does not exist yet, which is no error.
    if (isMissingTable(error) && statement.includes(` FROM ${MIGRATION_TABLE} `)) return;
    const { message: words, code = '' } = (typeof error === 'string' ? { message: error } : error) as {
      message: string;
      code?: string;
    };
    // `DatabaseOutages` logs errors that are not from the engine.
    if (!/^(ER|SQLITE)_/.test(code)) return;
    const fields = { event: 'db.statement_refused', code, statement, sent_by: callers ?? framesOf(new Error().stack) };
    this.target[EXPECTED.test(code) ? 'debug' : 'warn'](fields, `The database refused a statement: ${words}`);
  }

  private isLogged(state: RunnerState | undefined): boolean {
    return this.isDevelopment || state?.timeoutMs === Infinity;
  }

  /** Does nothing: all other log calls of TypeORM are ignored. */
  protected writeLog(): void {
    return;
  }
}
