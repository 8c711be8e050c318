import { QueryFailedError } from 'typeorm';
import { ApiError } from '../errors/index.js';
import { isConflict, isOutageFault, translateMysqlFault, type MysqlFault } from './mysql-failure.js';
import { isFileLock, translateSqliteFault } from './sqlite-failure.js';
import { OutcomeUnknownError, unavailable } from './unavailable.js';

/** What the driver said, as TypeORM keeps it in `driverError`, and what the platform knows besides. */
export interface DriverFault extends MysqlFault {
  /** A write that may have been done, whose answer never came. */
  readonly outcome?: 'unknown';
  /** There was no connection, so nothing was asked. */
  readonly phase?: 'connect';
}

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

/** Whether a write was asked for and nobody knows whether it was done. */
export function isOutcomeUnknown(error: unknown): boolean {
  return driverErrorOf(error)?.outcome === 'unknown';
}

/** Whether another transaction held what a statement needs for longer than a statement waits, or held it crosswise. */
export function isLocked(error: unknown): boolean {
  const { errno, code = '' } = driverErrorOf(error) ?? {};
  return errno === undefined ? isFileLock(code) : isConflict(String(errno));
}

/** Whether the database cannot be used, rather than that it refused a statement or that others were in its way. */
export function isOutageError(error: unknown): boolean {
  const failure = databaseFailure(error);
  const fault = driverErrorOf(error);
  return failure !== undefined && fault !== undefined && (fault.phase === 'connect' || isOutageFault(fault));
}

/** What a client is told of a fault of the database that passes; undefined for any other fault. */
export function databaseFailure(error: unknown): ApiError | undefined {
  const fault = driverErrorOf(error);
  if (fault === undefined) return undefined;
  if (fault.outcome === 'unknown') return new OutcomeUnknownError(error);
  if (fault.phase === 'connect') return unavailable(error);
  const { code = '' } = fault;
  const translated = code.startsWith('SQLITE_') ? translateSqliteFault(fault, code) : translateMysqlFault(fault);
  return translated instanceof ApiError ? translated : undefined;
}
