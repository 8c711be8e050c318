import type { Logger, QueryRunner } from 'typeorm';
import { framesOf, type Log } from '../logging/index.js';
import { isMissingTable } from './database-failure.js';

/** The table in which TypeORM keeps what was migrated. */
export const MIGRATION_TABLE = 'migration';

/** What a feature may well have expected. */
const EXPECTED = /^(ER_DUP_ENTRY|ER_ROW_IS_REFERENCED.*|ER_NO_REFERENCED_ROW.*|SQLITE_CONSTRAINT.*)$/;

/**
 * Logs what a statement failed with: the engine's own words, the statement and the lines that sent it. They may hold a
 * client's values, so outside of development only those of migrations are logged.
 */
export class StatementLog implements Logger {
  /** @param target undefined where there is no log. */
  constructor(
    private readonly target: Pick<Log, 'warn' | 'debug'> | undefined,
    private readonly isDevelopment: boolean,
  ) {}

  logQueryError(error: string | Error, statement: string, _parameters?: unknown, runner?: QueryRunner): void {
    const isMigration = (runner as { timeoutMs?: number } | undefined)?.timeoutMs === Infinity;
    if (this.target === undefined || !(this.isDevelopment || isMigration)) return;
    // An empty database is asked for its migrations too.
    if (isMissingTable(error) && statement.includes(` FROM ${MIGRATION_TABLE} `)) return;
    const { message: words, code = '' } = (typeof error === 'string' ? { message: error } : error) as {
      message: string;
      code?: string;
    };
    // What the log has of an outage is enough.
    if (!/^(ER|SQLITE)_/.test(code)) return;
    const fields = { event: 'db.statement_refused', code, statement, sent_by: framesOf(new Error().stack) };
    this.target[EXPECTED.test(code) ? 'debug' : 'warn'](fields, `The database refused a statement: ${words}`);
  }

  logQuery(): void {
    return;
  }

  logQuerySlow(): void {
    return;
  }

  logSchemaBuild(): void {
    return;
  }

  logMigration(): void {
    return;
  }

  log(): void {
    return;
  }
}
