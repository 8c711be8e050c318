import { AbstractLogger, type QueryRunner } from 'typeorm';
import { framesOf } from '../logging/index.js';
import { isMissingTable } from './database-failure.js';

/** What the platform keeps of a query runner. */
export class RunnerState {
  /** Whether it is refused as long as the database is not ready for features. */
  isGated = false;
  /** Whether a transaction has it, which outlives whoever releases it. */
  isHeld = false;
  /**
   * Milliseconds for each statement, to be set before the first one; the configured ones unless given, Infinity for a
   * migration. SQLite knows no deadline within a statement.
   */
  timeoutMs: number | undefined;
  /** Where the last statement came from, for the log. */
  callers: string | undefined;
}

/** TypeORM's query runner, as the drivers of the platform make it. */
export type PlatformRunner = QueryRunner & { readonly state: RunnerState };

/** The table in which TypeORM keeps what was migrated. */
export const MIGRATION_TABLE = 'migration';

/** What a feature may well have expected. */
const EXPECTED = /^(ER_DUP_ENTRY|ER_ROW_IS_REFERENCED.*|ER_NO_REFERENCED_ROW.*|SQLITE_CONSTRAINT.*)$/;

/** Where refused statements are logged. */
export interface StatementTarget {
  warn(fields: { readonly statement: string; readonly sent_by: string | undefined }, message: string): void;
  debug(fields: object, message: string): void;
}

/**
 * Logs what a statement failed with: the engine's own words, the statement and the lines that sent it. They may hold a
 * client's values, so outside of development only those of migrations are logged.
 */
export class StatementLog extends AbstractLogger {
  /** @param target undefined where there is no log. */
  constructor(
    private readonly target: StatementTarget | undefined,
    private readonly isDevelopment: boolean,
  ) {
    super();
  }

  /** The calls that lead here, where they are logged if the statement is refused: later, only those are known that wait for it. */
  callers(state?: RunnerState): string | undefined {
    return this.isLogged(state) ? framesOf(new Error().stack) : undefined;
  }

  override logQueryError(error: string | Error, statement: string, _parameters?: unknown, runner?: QueryRunner): void {
    this.logRefused(error, statement, (runner as PlatformRunner | undefined)?.state);
  }

  /** @param callers as they were when the statement was sent; those of now unless given. */
  logRefused(error: string | Error, statement: string, state?: RunnerState, callers = state?.callers): void {
    if (this.target === undefined || !this.isLogged(state)) return;
    // An empty database is asked for its migrations too.
    if (isMissingTable(error) && statement.includes(` FROM ${MIGRATION_TABLE} `)) return;
    const { message: words, code = '' } = (typeof error === 'string' ? { message: error } : error) as {
      message: string;
      code?: string;
    };
    // What the log has of an outage is enough.
    if (!/^(ER|SQLITE)_/.test(code)) return;
    const fields = { event: 'db.statement_refused', code, statement, sent_by: callers ?? framesOf(new Error().stack) };
    this.target[EXPECTED.test(code) ? 'debug' : 'warn'](fields, `The database refused a statement: ${words}`);
  }

  private isLogged(state: RunnerState | undefined): boolean {
    return this.isDevelopment || state?.timeoutMs === Infinity;
  }

  /** Nothing else is logged. */
  protected writeLog(): void {
    return;
  }
}
