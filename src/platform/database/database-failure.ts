import { QueryFailedError } from 'typeorm';
import { ApiError, coreErrors, OUTCOME_UNKNOWN } from '../errors/index.js';
import { inTime } from '../time.js';
import { SessionError } from './mysql-session.js';

/** The database did not answer in time; what it does with the statement is not known. */
export class LateError extends Error {
  readonly code = 'DATABASE_TIMEOUT';

  constructor(milliseconds: number) {
    super(`No answer from the database within ${milliseconds} ms`);
    this.name = 'LateError';
  }
}

/** Waits for `work` at most `milliseconds`, after which it rejects with a `LateError`. */
export async function withDeadline<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  const done = work.then(() => true);
  if (!(await inTime(milliseconds, done))) throw new LateError(milliseconds);
  return work;
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

/** What a driver fails with: the server's error number and its name, SQLite's name, or the code of a network error. */
export interface DriverFault extends Error {
  readonly code?: string;
  readonly errno?: number;
  /** True when the connection cannot be used any more. */
  readonly fatal?: boolean;
  /** A write that may have been done, whose answer never came. */
  readonly outcome?: 'unknown';
  /** There was no connection, so nothing was asked. */
  readonly phase?: 'connect';
}

const DEADLOCK = 1213;

/** The statement was rolled back whole and may be run again: deadlock or certification failure, a Galera node not ready. */
const ROLLED_BACK: ReadonlySet<number> = new Set([DEADLOCK, 1047]);

/** Waited for a lock for too long. Only the statement is rolled back, so only one outside a transaction may run again. */
const LOCK_WAIT = 1205;

/** A former writer that became read-only; TypeORM's pool would hand the connection out again (mysql2 #4075). */
const READ_ONLY: ReadonlySet<number> = new Set([1290, 1792, 1836]);

/**
 * No room, on the disk, for one more prepared statement, or among the ids of a table, for which MariaDB has 167 and MySQL
 * 1467: nothing was done, and other statements go on.
 */
const NO_ROOM: ReadonlySet<number> = new Set([167, 1021, 1114, 1461, 1467]);

/** Refused before anything was run: too many connections, of all or of this login; out of memory; a blocked host. */
const TURNED_AWAY: ReadonlySet<number> = new Set([1040, 1041, 1129, 1203, 1226]);

/** The login may not do this to the table, the column or the database. Nothing was done; it needs a grant, no change of code. */
const NOT_GRANTED: ReadonlySet<number> = new Set([1044, 1142, 1143]);

/** Cut off, at a moment that is not known: shutting down, killed, timed out, and 1180, a commit that failed halfway. */
const CUT_OFF: ReadonlySet<number> = new Set([1053, 1180, 1317, 1927, 1969, 3024, 4031]);

/** The connection was refused or reset before a statement was sent on it. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND']);

/**
 * The code that makes it safe to try again; undefined where the fate of the statement is unknown or trying is of no use.
 *
 * @param sent `nothing` where no connection was had, `statement` for one outside a transaction.
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

/** Whether it is a conflict with another transaction, by its `retryCode`: no outage that more statements would make worse. */
export function isConflict(code: string): boolean {
  return code === String(DEADLOCK) || code === String(LOCK_WAIT);
}

/** Whether it was the server that refused a connection or its session, rather than the network. */
export function isRefusedByServer(fault: unknown): boolean {
  const { errno = 0 } = (fault ?? {}) as Partial<DriverFault>;
  return errno > 0 || fault instanceof SessionError;
}

export function isReadOnlyFault({ errno }: DriverFault): boolean {
  return errno !== undefined && READ_ONLY.has(errno);
}

/** Whether the connection that met the fault must not be used again. */
export function spoilsConnection(fault: DriverFault): boolean {
  if (fault.fatal === true || isNetworkFault(fault) || isReadOnlyFault(fault)) return true;
  return fault.errno === undefined ? fault instanceof LateError : fault.errno === 1047;
}

/** What is no fault of the statement: the same may succeed later, or once an operator has seen to it. */
const PASSING: ReadonlySet<number> = new Set(
  [ROLLED_BACK, READ_ONLY, NO_ROOM, TURNED_AWAY, NOT_GRANTED, CUT_OFF].flatMap((numbers) => [...numbers]),
);

/** Whether it is no fault of the statement: the same may succeed later, or once an operator has seen to it. */
export function isPassing(fault: DriverFault): boolean {
  const { errno, code = '', phase } = fault;
  if (code.startsWith('SQLITE_')) return isFileLock(code) || isFileFault(code);
  if (phase === 'connect' || errno === LOCK_WAIT || fault.fatal === true || isNetworkFault(fault)) return true;
  return errno === undefined ? code !== '' : PASSING.has(errno);
}

/** Whether nobody here knows what became of a statement that failed so. */
export function isLeftOpen(fault: DriverFault): boolean {
  if (fault instanceof LateError || isNetworkFault(fault)) return true;
  return fault.errno === undefined ? fault.fatal === true : CUT_OFF.has(fault.errno);
}

/** System errors have negative numbers and a code such as ECONNREFUSED; mysql2's own are named PROTOCOL_…. */
function isNetworkFault({ errno, code }: DriverFault): boolean {
  return (errno !== undefined && errno < 0) || (code?.startsWith('PROTOCOL_') ?? false);
}

/** Another process, or connection, is writing to the file. */
const LOCK = /^SQLITE_(BUSY|LOCKED)/;

/** The file cannot be opened, read or written, as on a full disk, may not be used, or holds no database. */
const FILE = /^SQLITE_(AUTH|CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|PROTOCOL|READONLY)/;

/** What is on the disk cannot be read, or is not what was written. */
const UNREADABLE = /^SQLITE_(CORRUPT|NOTADB|IOERR_(CORRUPTFS|DATA|READ|SHORT_READ)$)/;

/** Whether it is a page, or the whole file, that cannot be read. */
export function isUnreadable(code: string): boolean {
  return UNREADABLE.test(code);
}

/** Whether others hold what a statement needs, by SQLite's name of its failure: the same may succeed later. */
export function isFileLock(code: string): boolean {
  return LOCK.test(code);
}

/** Whether it is the file itself that cannot be used. */
export function isFileFault(code: string): boolean {
  return FILE.test(code);
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
export function isLockFault({ errno, code = '' }: DriverFault): boolean {
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
