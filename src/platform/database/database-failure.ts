import { QueryFailedError } from 'typeorm';
import { ApiError, coreErrors, OUTCOME_UNKNOWN } from '../errors/index.js';
import {
  isConflict,
  isFileFault,
  isFileLock,
  isPassingMysqlFault,
  LateError,
  type MysqlFault,
} from './driver-failure.js';

/** What the driver said, as TypeORM keeps it in `driverError`, and what the platform knows besides. */
export interface DriverFault extends MysqlFault {
  /** A write that may have been done, whose answer never came. */
  readonly outcome?: 'unknown';
  /** There was no connection, so nothing was asked. */
  readonly phase?: 'connect';
}

/** A statement by a manager whose transaction is over, which would be done outside of it. */
export class EndedTransactionError extends Error {
  constructor() {
    super('A statement came after the end of its transaction; await in it all that is to be done in it');
    this.name = 'EndedTransactionError';
  }
}

/** The database was not asked: its schema is not there yet, or too many wait for it already. */
export class NotAskedError extends Error {
  readonly code = 'DATABASE_NOT_ASKED';
}

/** Seconds after which a client may try again. */
const RETRY_LATER = { 'Retry-After': '2' } as const;

/** The driver's error, also where a feature has said it in its own words, with a `cause`. */
export function driverErrorOf(error: unknown): DriverFault | undefined {
  if (error instanceof QueryFailedError) return error.driverError as DriverFault;
  if (!(error instanceof Error)) return undefined;
  if (error.cause !== undefined) return driverErrorOf(error.cause);
  return 'errno' in error && !isOfSystem(error) ? (error as DriverFault) : undefined;
}

/** Of a file or a connection of a feature's own. The driver's errors of connections say besides that they are fatal. */
function isOfSystem(error: Error): boolean {
  return 'syscall' in error && !('fatal' in error || 'phase' in error || 'outcome' in error);
}

/** What the driver said. A host with several addresses has a fault for each; one will do. */
export function rootOf(thrown: unknown): unknown {
  const { errors, driverError, cause } = (thrown ?? {}) as { errors?: unknown; driverError?: unknown; cause?: unknown };
  const below: unknown = Array.isArray(errors) ? errors[0] : (driverError ?? cause);
  return Error.isError(below) ? rootOf(below) : thrown;
}

/** The engine's own name of what a statement failed with, e.g. `ER_DUP_ENTRY`; undefined where it has none. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (driverErrorOf(error) ?? error) as { code?: string | number };
  return code === undefined ? undefined : String(code);
}

/** Whether a statement was refused since a row with the same unique or primary key is there. */
export function isDuplicateKey(error: unknown): boolean {
  const { errno, code = '' } = driverErrorOf(error) ?? {};
  return errno === 1062 || /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code);
}

/** Whether a statement was refused since a foreign key names no row, or a row that it would delete is named by one. */
export function isForeignKey(error: unknown): boolean {
  const { errno = 0, code } = driverErrorOf(error) ?? {};
  return [1216, 1217, 1451, 1452].includes(errno) || code === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Whether a statement named a table that is not there. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === 'ER_NO_SUCH_TABLE' || (error as Error).message.includes('no such table');
}

/** Whether a write was asked for and nobody knows whether it was done. */
export function isOutcomeUnknown(error: unknown): boolean {
  return driverErrorOf(error)?.outcome === 'unknown';
}

/** Whether another transaction held what a statement needs for longer than a statement waits, or held it crosswise. */
export function isLocked(error: unknown): boolean {
  const fault = driverErrorOf(error);
  return fault !== undefined && isLockFault(fault);
}

/** As `isLocked`, for the driver's own error. */
export function isLockFault({ errno, code = '' }: MysqlFault): boolean {
  return errno === undefined ? isFileLock(code) : isConflict(String(errno));
}

/** Whether the database cannot be used, rather than that it refused a statement or that others were in its way. */
export function isOutage(error: unknown): boolean {
  const fault = driverErrorOf(error);
  return fault === undefined ? isUnavailable(error) : isOutageFault(fault);
}

/** The same of what the driver said. */
export function isOutageFault(fault: DriverFault): boolean {
  return isPassing(fault) && !isConflict(String(fault.errno));
}

/** Whether the same may succeed later, as far as the database has to do with it. */
export function isUnavailable(error: unknown): boolean {
  return (error instanceof ApiError ? error : databaseFailure(error))?.kind.category === 'unavailable';
}

/** What a client gets for a fault of the database that passes; undefined for any other fault. */
export function databaseFailure(error: unknown): ApiError | undefined {
  const fault = driverErrorOf(error);
  if (fault === undefined || !(fault.outcome === 'unknown' || isPassing(fault))) return undefined;
  const message = fault.outcome === 'unknown' ? OUTCOME_UNKNOWN : undefined;
  return new ApiError(coreErrors.serviceUnavailable, message, { headers: RETRY_LATER, cause: error });
}

/** Whether the driver's error is no fault of the statement: the same may succeed later, or once an operator has seen to it. */
export function isPassing(fault: DriverFault): boolean {
  const { code = '', phase } = fault;
  if (phase === 'connect') return true;
  return code.startsWith('SQLITE_') ? isFileLock(code) || isFileFault(code) : isPassingMysqlFault(fault);
}

/** What a statement failed with, as telemetry names it (`error.type`, `db.response.status_code`). */
export interface StatementFault {
  /** `timeout`, or the status code, or a code of the network such as `ECONNRESET`. */
  readonly type: string;
  /** What the engine itself answered: MySQL's error number, SQLite's name. */
  readonly status?: string;
}

/** @param thrown by a driver, by TypeORM, or what that was translated to. */
export function statementFault(thrown: unknown): StatementFault {
  const fault: unknown = driverErrorOf(thrown) ?? thrown;
  const { errno, code } = (fault ?? {}) as { errno?: unknown; code?: unknown };
  if (fault instanceof LateError) return { type: 'timeout' };
  // System errors have negative numbers.
  if (typeof errno === 'number' && errno > 0) return { type: String(errno), status: String(errno) };
  if (typeof code !== 'string') return { type: 'unknown' };
  return code.startsWith('SQLITE_') ? { type: code, status: code } : { type: code };
}
