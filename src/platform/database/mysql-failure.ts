import { ApiError } from '../errors/index.js';
import { DatabaseError } from './database.js';
import { LockWaitError, unavailable } from './deadline.js';

/** What mysql2 rejects with: the server's error number and its name, or a network error's code. */
export interface MysqlFault extends Error {
  readonly code?: string;
  readonly errno?: number;
  /** True when the connection cannot be used any more. */
  readonly fatal?: boolean;
}

/** The statement was rolled back whole and may be run again: lock wait timeout, deadlock, a Galera node not ready. */
const RETRYABLE: ReadonlySet<number> = new Set([1205, 1213, 1047]);

/** A former writer that became read-only; TypeORM's pool would hand the connection out again (mysql2 #4075). */
const READ_ONLY: ReadonlySet<number> = new Set([1290, 1792, 1836]);

/** The server is there but cannot serve: too many connections, shutting down, disk full, killed, ambiguous commit. */
const UNAVAILABLE: ReadonlySet<number> = new Set([1021, 1040, 1041, 1053, 1114, 1129, 1180, 1203, 1317, 1969, 3024]);

export function isRetryable(fault: MysqlFault): boolean {
  return fault.errno !== undefined && RETRYABLE.has(fault.errno);
}

/** Whether the connection that met the fault must not be used again. */
export function spoilsConnection(fault: MysqlFault): boolean {
  if (fault.fatal === true || fault instanceof ApiError) return true;
  if (fault.errno === undefined || isNetworkFault(fault)) return true;
  return READ_ONLY.has(fault.errno) || fault.errno === 1047;
}

/** The fault as the rest of the service knows it: try again later, or a statement refused. */
export function translateMysqlFault(fault: MysqlFault): ApiError | DatabaseError {
  if (fault instanceof ApiError) return fault;
  const { errno } = fault;
  if (errno === 1205 || errno === 1213) return new LockWaitError(fault);
  const passing =
    fault.fatal === true ||
    errno === undefined ||
    isNetworkFault(fault) ||
    RETRYABLE.has(errno) ||
    READ_ONLY.has(errno) ||
    UNAVAILABLE.has(errno);
  if (passing) return unavailable(fault);
  return new DatabaseError(fault.code ?? `errno ${errno}`, errno === 1062, { cause: fault });
}

/** System errors have negative numbers and a code such as ECONNREFUSED; mysql2's own are named PROTOCOL_…. */
function isNetworkFault({ errno, code }: MysqlFault): boolean {
  return (errno !== undefined && errno < 0) || (code?.startsWith('PROTOCOL_') ?? false);
}
