import { ApiError } from '../errors/index.js';
import { DatabaseError } from './database.js';
import { LateError, LockWaitError, unavailable } from './deadline.js';

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

/** The server is there but cannot serve: too many connections, shutting down, disk full, killed, ambiguous commit. */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  1021, 1040, 1041, 1053, 1114, 1129, 1180, 1203, 1317, 1927, 1969, 3024, 4031,
]);

/** The connection was refused or reset before anything was sent on it. */
const NOT_CONNECTED: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND']);

/**
 * The code that makes it safe to try again; undefined where the fate of the statement is unknown or trying is of no use.
 *
 * @param sent `nothing` where no connection was had, `statement` for one outside a transaction.
 */
export function retryCode(fault: MysqlFault, sent: 'nothing' | 'statement' | 'transaction'): string | undefined {
  const { errno, code } = fault;
  if (sent === 'nothing') return code !== undefined && NOT_CONNECTED.has(code) ? code : undefined;
  if (sent === 'statement' && errno === LOCK_WAIT) return String(errno);
  return errno !== undefined && (ROLLED_BACK.has(errno) || READ_ONLY.has(errno)) ? String(errno) : undefined;
}

export function isReadOnlyFault({ errno }: MysqlFault): boolean {
  return errno !== undefined && READ_ONLY.has(errno);
}

/** Whether the connection that met the fault must not be used again. */
export function spoilsConnection(fault: MysqlFault): boolean {
  if (fault instanceof DatabaseError) return false;
  if (fault.fatal === true || isNetworkFault(fault) || isReadOnlyFault(fault)) return true;
  return fault.errno === undefined ? fault instanceof LateError : fault.errno === 1047;
}

/** The fault as the rest of the service knows it: try again later, or a statement refused. */
export function translateMysqlFault(fault: MysqlFault): ApiError | DatabaseError {
  if (fault instanceof ApiError) return fault;
  const { errno } = fault;
  if (errno === LOCK_WAIT) return new LockWaitError(fault);
  const passing =
    fault.fatal === true ||
    errno === undefined ||
    isNetworkFault(fault) ||
    ROLLED_BACK.has(errno) ||
    READ_ONLY.has(errno) ||
    UNAVAILABLE.has(errno);
  if (passing) return unavailable(fault);
  return new DatabaseError(fault.code ?? `errno ${errno}`, errno === 1062, { cause: fault });
}

/** System errors have negative numbers and a code such as ECONNREFUSED; mysql2's own are named PROTOCOL_…. */
function isNetworkFault({ errno, code }: MysqlFault): boolean {
  return (errno !== undefined && errno < 0) || (code?.startsWith('PROTOCOL_') ?? false);
}
