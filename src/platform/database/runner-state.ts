import type { QueryRunner } from 'typeorm';

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
