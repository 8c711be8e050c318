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

/** What mysql2 rejects with: the server's error number and its name, or a network error's code. */
export interface MysqlFault extends Error {
  readonly code?: string;
  readonly errno?: number;
  /** True when the connection cannot be used any more. */
  readonly fatal?: boolean;
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
  fault: MysqlFault | undefined,
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
  const { errno = 0 } = (fault ?? {}) as Partial<MysqlFault>;
  return errno > 0 || fault instanceof SessionError;
}

export function isReadOnlyFault({ errno }: MysqlFault): boolean {
  return errno !== undefined && READ_ONLY.has(errno);
}

/** Whether the connection that met the fault must not be used again. */
export function spoilsConnection(fault: MysqlFault): boolean {
  if (fault.fatal === true || isNetworkFault(fault) || isReadOnlyFault(fault)) return true;
  return fault.errno === undefined ? fault instanceof LateError : fault.errno === 1047;
}

/** What is no fault of the statement: the same may succeed later, or once an operator has seen to it. */
const PASSING: ReadonlySet<number> = new Set(
  [ROLLED_BACK, READ_ONLY, NO_ROOM, TURNED_AWAY, NOT_GRANTED, CUT_OFF].flatMap((numbers) => [...numbers]),
);

/** Whether it is no fault of the statement, nor of a value that is none. */
export function isPassingMysqlFault(fault: MysqlFault): boolean {
  const { errno, code } = fault;
  if (errno === LOCK_WAIT || fault.fatal === true || isNetworkFault(fault)) return true;
  return errno === undefined ? code !== undefined : PASSING.has(errno);
}

/** Whether nobody here knows what became of a statement that failed so. */
export function isLeftOpen(fault: MysqlFault): boolean {
  if (fault instanceof LateError || isNetworkFault(fault)) return true;
  return fault.errno === undefined ? fault.fatal === true : CUT_OFF.has(fault.errno);
}

/** System errors have negative numbers and a code such as ECONNREFUSED; mysql2's own are named PROTOCOL_…. */
function isNetworkFault({ errno, code }: MysqlFault): boolean {
  return (errno !== undefined && errno < 0) || (code?.startsWith('PROTOCOL_') ?? false);
}

/** Another process, or connection, is writing to the file. */
const LOCK = /^SQLITE_(BUSY|LOCKED)/;

/** The file cannot be opened, read or written, for a reason that may pass: the disk takes no more, say. */
const DISK = /^SQLITE_(CANTOPEN|FULL|IOERR|PROTOCOL|READONLY)/;

/** It may not be used, or holds no database. */
const NO_DATABASE = /^SQLITE_(AUTH|CORRUPT|NOTADB|PERM)/;

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
  return DISK.test(code) || NO_DATABASE.test(code);
}
