import { ApiError } from '../errors/index.js';
import { LateError } from './deadline.js';

/** What a statement failed with, as telemetry names it (`error.type`, `db.response.status_code`). */
export interface StatementFault {
  /** `timeout`, or the status code, or a code of the network such as `ECONNRESET`. */
  readonly type: string;
  /** What the engine itself answered: MySQL's error number, SQLite's name. */
  readonly status?: string;
}

/** @param thrown by a driver, or what that was translated to. */
export function statementFault(thrown: unknown): StatementFault {
  const { errno, code } = (thrown ?? {}) as { errno?: unknown; code?: unknown };
  if (thrown instanceof ApiError) return statementFault(thrown.cause);
  if (thrown instanceof LateError) return { type: 'timeout' };
  // System errors have negative numbers.
  if (typeof errno === 'number' && errno > 0) return { type: String(errno), status: String(errno) };
  if (typeof code !== 'string') return { type: 'unknown' };
  return code.startsWith('SQLITE_') ? { type: code, status: code } : { type: code };
}
