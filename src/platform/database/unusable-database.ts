import { databaseFile, showDatabaseTarget, type DatabaseTarget } from '../config/index.js';
import { StartFault } from '../start-fault.js';
import { nameTlsFault } from './database-tls.js';
import { LateError } from './deadline.js';
import { SessionError } from './mysql-session.js';
import { isLockFault, isPassing } from './database-failure.js';
import type { MysqlFault } from './mysql-failure.js';
import { isFileFault } from './sqlite-failure.js';

/** What MySQL calls a login that may not do it, or that there is none of; an unknown database. */
const NOT_ALLOWED: ReadonlySet<number> = new Set([1045, 1049, 1227, 1698]);

const CANNOT_BE_USED = 'The database cannot be used';

/** The database is well, but others hold what the work needs, or held it crosswise: the same may succeed later. */
const IS_LOCKED = 'Another process holds a lock. Try again';

/** The database cannot be used, or not now, for a reason outside of this program. Says which one and why, on one line. */
export class UnusableDatabase extends StartFault {
  constructor(target: DatabaseTarget, reason: string, options?: ErrorOptions, what = CANNOT_BE_USED) {
    const which = databaseFile(target) ?? showDatabaseTarget(target);
    super(`${what}: ${which}: ${reason.replace(/\p{Cc}+/gu, ' ')}`, options);
    this.name = 'UnusableDatabase';
  }
}

/**
 * @param thrown by a driver, by TypeORM or by what they were translated to.
 * @returns the same in plain words; undefined for a fault of a program, whose stack tells more.
 */
export function unusableDatabase(thrown: unknown, target: DatabaseTarget): UnusableDatabase | undefined {
  const fault = rootOf(thrown);
  if (!Error.isError(fault) || !(isLockFault(fault) || isOutside(fault))) return undefined;
  const { code, message } = nameTlsFault(fault) as MysqlFault;
  const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return new UnusableDatabase(target, reason, { cause: thrown }, isLockFault(fault) ? IS_LOCKED : CANNOT_BE_USED);
}

/** What the driver said. A host with several addresses has a fault for each; one will do. */
function rootOf(thrown: unknown): unknown {
  const { errors, driverError, cause } = (thrown ?? {}) as { errors?: unknown; driverError?: unknown; cause?: unknown };
  const below: unknown = Array.isArray(errors) ? errors[0] : (driverError ?? cause);
  return Error.isError(below) ? rootOf(below) : thrown;
}

function isOutside(fault: MysqlFault): boolean {
  if (fault instanceof LateError || fault instanceof SessionError || fault.fatal === true) return true;
  if (fault.errno === undefined) return isFileFault(fault.code ?? '');
  return NOT_ALLOWED.has(fault.errno) || isPassing(fault);
}
