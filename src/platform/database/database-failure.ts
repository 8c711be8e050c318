import { QueryFailedError } from 'typeorm';
import { ApiError, coreErrors, OUTCOME_UNKNOWN } from '../errors/index.js';
import { inTime } from '../time.js';
import { SessionError } from './mysql-session.js';

/** The database did not answer in time. Whether it executed the statement is unknown. */
export class LateError extends Error {
  readonly code = 'DATABASE_TIMEOUT';

  constructor(milliseconds: number) {
    super(`No answer from the database within ${milliseconds} ms`);
    this.name = 'LateError';
  }
}

/** Waits for `work` for at most `milliseconds`. Then it rejects with a `LateError`. */
export async function withDeadline<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const done = work.then(() => true);
  if (!(await inTime(milliseconds, done))) throw new LateError(milliseconds);
  return work;
}

/** A manager was used after the end of its transaction. The statement would run outside the transaction. */
export class EndedTransactionError extends Error {
  constructor() {
    super('A statement came after the end of its transaction; await in it all that is to be done in it');
    this.name = 'EndedTransactionError';
  }
}

/** The statement was not sent: the schema is not ready, or too many statements wait already. */
export class NotAskedError extends Error {
  readonly code = 'DATABASE_NOT_ASKED';
}

/**
 * An error of a driver. It has the error number and name of the server, the name of SQLite, or the code of a network
 * error.
 */
export interface DriverFault extends Error {
  readonly code?: string;
  readonly errno?: number;
  /** True if the connection cannot be used any more. */
  readonly fatal?: boolean;
  /** The answer to a write is missing, so the write may have been executed. */
  readonly outcome?: 'unknown';
  /** There was no connection, so nothing was sent. */
  readonly phase?: 'connect';
}

const DEADLOCK = 1213;

/**
 * The whole statement was rolled back and may run again: a deadlock or certification failure, or a Galera node that is
 * not ready.
 */
const ROLLED_BACK: ReadonlySet<number> = new Set([DEADLOCK, 1047]);

/**
 * The wait for a lock was too long. Only the statement is rolled back, so it may run again only outside a transaction.
 */
const LOCK_WAIT = 1205;

/** The server was a writer and became read-only. TypeORM's pool would use the connection again (mysql2 #4075). */
const READ_ONLY: ReadonlySet<number> = new Set([1290, 1792, 1836]);

/**
 * The disk is full, the limit of prepared statements is reached, or a table has no more ids (MariaDB 167, MySQL 1467).
 * Nothing was executed, and other statements still work.
 */
const NO_ROOM: ReadonlySet<number> = new Set([167, 1021, 1114, 1461, 1467]);

/**
 * The server refused before it executed anything: too many connections in total or of this login, no memory, or a
 * blocked host.
 */
const TURNED_AWAY: ReadonlySet<number> = new Set([1040, 1041, 1129, 1203, 1226]);

/**
 * The login lacks a privilege on the table, the column or the database. Nothing was executed. It needs a grant, not a
 * change of code.
 */
const NOT_GRANTED: ReadonlySet<number> = new Set([1044, 1142, 1143]);

/**
 * The statement was interrupted at an unknown moment: shutdown, kill, timeout, or a commit that failed halfway (1180).
 */
const CUT_OFF: ReadonlySet<number> = new Set([1053, 1180, 1317, 1927, 1969, 3024, 4031]);

/** The connection was refused or reset before a statement was sent. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND']);

/**
 * The error code that makes a retry safe; undefined if the outcome of the statement is unknown or a retry is useless.
 *
 * @param sent `nothing` if there was no connection, `statement` for a statement outside a transaction.
 */
export function retryCode(
  fault: DriverFault | undefined,
  sent: 'nothing' | 'statement' | 'transaction',
): string | undefined {
  const { errno, code } = fault ?? {};
  if (sent === 'nothing') return code !== undefined && NOT_CONNECTED.has(code) ? code : undefined;
  if (sent === 'statement' && errno === LOCK_WAIT) return String(errno);
  return errno !== undefined && (ROLLED_BACK.has(errno) || READ_ONLY.has(errno)) ? String(errno) : undefined;
}

/**
 * Whether a `retryCode` stands for a conflict with another transaction. A conflict is no outage that retries make
 * worse.
 */
export function isConflict(code: string): boolean {
  return code === String(DEADLOCK) || code === String(LOCK_WAIT);
}

/** Whether the server refused a connection or its session. Otherwise the network failed. */
export function isRefusedByServer(fault: unknown): boolean {
  const { errno = 0 } = (fault ?? {}) as Partial<DriverFault>;
  return errno > 0 || fault instanceof SessionError;
}

export function isReadOnlyFault({ errno }: DriverFault): boolean {
  return errno !== undefined && READ_ONLY.has(errno);
}

/** Whether the connection must not be used again after this fault. */
export function spoilsConnection(fault: DriverFault): boolean {
  if (fault.fatal === true || isNetworkFault(fault) || isReadOnlyFault(fault)) return true;
  return fault.errno === undefined ? fault instanceof LateError : fault.errno === 1047;
}

/** Errors that the statement did not cause: it may succeed later, or after an operator has acted. */
const PASSING: ReadonlySet<number> = new Set(
  [ROLLED_BACK, READ_ONLY, NO_ROOM, TURNED_AWAY, NOT_GRANTED, CUT_OFF].flatMap((numbers) => [...numbers]),
);

/** Whether the statement did not cause the fault: it may succeed later, or after an operator has acted. */
export function isPassing(fault: DriverFault): boolean {
  const { errno, code = '', phase } = fault;
  if (code.startsWith('SQLITE_')) return isFileLock(code) || isFileFault(code);
  if (phase === 'connect' || errno === LOCK_WAIT || fault.fatal === true || isNetworkFault(fault)) return true;
  return errno === undefined ? code !== '' : PASSING.has(errno);
}

/** Whether the outcome of the statement is unknown after this fault. */
export function isLeftOpen(fault: DriverFault): boolean {
  if (fault instanceof LateError || isNetworkFault(fault)) return true;
  return fault.errno === undefined ? fault.fatal === true : CUT_OFF.has(fault.errno);
}

/**
 * System errors have negative numbers and a code such as ECONNREFUSED. Errors of mysql2 have a code such as PROTOCOL_….
 */
function isNetworkFault({ errno, code }: DriverFault): boolean {
  return (errno !== undefined && errno < 0) || (code?.startsWith('PROTOCOL_') ?? false);
}

/** Another process or connection writes to the file. */
const LOCK = /^SQLITE_(BUSY|LOCKED)/;

/**
 * The file cannot be opened, read or written (for example because the disk is full), access is denied, or it is not a
 * database.
 */
const FILE = /^SQLITE_(AUTH|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|PROTOCOL|READONLY)/;

/** The data on the disk cannot be read, or is damaged. */
const UNREADABLE = /^SQLITE_(CORRUPT|NOTADB|IOERR_(CORRUPTFS|DATA|READ|SHORT_READ)$)/;

/** Whether a page or the whole file cannot be read. */
export function isUnreadable(code: string): boolean {
  return UNREADABLE.test(code);
}

/** Whether another process or connection holds a lock, by SQLite's error code. The statement may succeed later. */
export function isFileLock(code: string): boolean {
  return LOCK.test(code);
}

/** Whether the file cannot be used, by SQLite's error code. */
export function isFileFault(code: string): boolean {
  return FILE.test(code);
}

/** How long a client waits before it tries again. Seconds. */
const RETRY_LATER = { 'Retry-After': '2' } as const;

/** The error of the driver, also if a feature wrapped it in an error of its own with a `cause`. */
export function driverErrorOf(error: unknown): DriverFault | undefined {
  if (error instanceof QueryFailedError) return error.driverError as DriverFault;
  if (!(error instanceof Error)) return undefined;
  if (error.cause !== undefined) return driverErrorOf(error.cause);
  return 'errno' in error && !isOfSystem(error) ? (error as DriverFault) : undefined;
}

/**
 * Whether the error is about a file or a connection of the feature itself. Connection errors of the driver also have
 * `fatal`, `phase` or `outcome`.
 */
function isOfSystem(error: Error): boolean {
  return 'syscall' in error && !('fatal' in error || 'phase' in error || 'outcome' in error);
}

/** The innermost error. A host with several addresses has one error for each, and the first is enough. */
export function rootOf(thrown: unknown): unknown {
  const { errors, driverError, cause } = (thrown ?? {}) as { errors?: unknown; driverError?: unknown; cause?: unknown };
  const below: unknown = Array.isArray(errors) ? errors[0] : (driverError ?? cause);
  return Error.isError(below) ? rootOf(below) : thrown;
}

/** The error code of the engine for a failed statement, for example `ER_DUP_ENTRY`; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (driverErrorOf(error) ?? error) as { code?: string | number };
  return code === undefined ? undefined : String(code);
}

/** Whether a statement was refused because a row has the same unique or primary key. */
export function isDuplicateKey(error: unknown): boolean {
  const { errno, code = '' } = driverErrorOf(error) ?? {};
  return errno === 1062 || /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/.test(code);
}

/**
 * Whether a foreign key refused a statement: the row that it refers to does not exist, or a row to delete is still
 * referenced.
 */
export function isForeignKey(error: unknown): boolean {
  const { errno = 0, code } = driverErrorOf(error) ?? {};
  return [1216, 1217, 1451, 1452].includes(errno) || code === 'SQLITE_CONSTRAINT_FOREIGNKEY';
}

/** Whether a table of the statement does not exist. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === 'ER_NO_SUCH_TABLE' || (error as Error).message.includes('no such table');
}

/** Whether it is unknown if a write was executed. */
export function isOutcomeUnknown(error: unknown): boolean {
  return driverErrorOf(error)?.outcome === 'unknown';
}

/** Whether a statement failed because of a lock of another transaction: the wait was too long, or it was a deadlock. */
export function isLocked(error: unknown): boolean {
  const fault = driverErrorOf(error);
  return fault !== undefined && isLockFault(fault);
}

/** Like `isLocked`, for an error of the driver. */
export function isLockFault({ errno, code = '' }: DriverFault): boolean {
  return errno === undefined ? isFileLock(code) : isConflict(String(errno));
}

/** Whether the database cannot be used. A refused statement or a conflict with another transaction is no outage. */
export function isOutage(error: unknown): boolean {
  const fault = driverErrorOf(error);
  return fault === undefined ? isUnavailable(error) : isOutageFault(fault);
}

/** Like `isOutage`, for an error of the driver. */
export function isOutageFault(fault: DriverFault): boolean {
  return isPassing(fault) && !isConflict(String(fault.errno));
}

/** Whether the request may succeed later, as far as the database is concerned. */
export function isUnavailable(error: unknown): boolean {
  return (error instanceof ApiError ? error : databaseFailure(error))?.kind.category === 'unavailable';
}

/** The error of a response for a temporary fault of the database; undefined for any other fault. */
export function databaseFailure(error: unknown): ApiError | undefined {
  const fault = driverErrorOf(error);
  if (fault === undefined || !(fault.outcome === 'unknown' || isPassing(fault))) return undefined;
  const message = fault.outcome === 'unknown' ? OUTCOME_UNKNOWN : undefined;
  return new ApiError(coreErrors.serviceUnavailable, message, { headers: RETRY_LATER, cause: error });
}

/** The fault of a statement as telemetry names it (`error.type`, `db.response.status_code`). */
export interface StatementFault {
  /** `timeout`, the status code, or a network error code such as `ECONNRESET`. */
  readonly type: string;
  /** The answer of the engine: an error number of MySQL, or an error code of SQLite. */
  readonly status?: string;
}

/** @param thrown an error of a driver or of TypeORM, or an error that wraps one. */
export function statementFault(thrown: unknown): StatementFault {
  const fault: unknown = driverErrorOf(thrown) ?? thrown;
  const { errno, code } = (fault ?? {}) as { errno?: unknown; code?: unknown };
  if (fault instanceof LateError) return { type: 'timeout' };
  // System errors have negative numbers.
  if (typeof errno === 'number' && errno > 0) return { type: String(errno), status: String(errno) };
  if (typeof code !== 'string') return { type: 'unknown' };
  return code.startsWith('SQLITE_') ? { type: code, status: code } : { type: code };
}
