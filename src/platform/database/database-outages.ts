import {
  currentDatabaseTarget,
  databaseFile,
  showDatabaseTarget,
  type Config,
  type DatabaseTarget,
} from '../config/index.js';
import { OutageTime, type Log } from '../logging/index.js';
import { StartFault } from '../errors/index.js';
import {
  type DriverFault,
  isFileFault,
  isLockFault,
  isPassing,
  isRefusedByServer,
  isUnreadable,
  LateError,
  rootOf,
} from './database-failure.js';
import { SessionError } from './mysql-session.js';

/**
 * Parts of the database that can fail separately: reads work while the disk is full, and logins while a table is
 * locked.
 */
export type DatabasePart = 'connect' | 'read' | 'write';

/**
 * How long a file is not trusted after one failed read. Milliseconds. A corrupt file is not trusted until the next
 * start.
 */
const UNREADABLE_MS = 60_000;

interface Outage {
  readonly time: OutageTime;
  /** The last fault that was observed. */
  fault?: unknown;
  /** The error codes that were logged for this outage. */
  readonly codes: Set<string>;
}

/**
 * Logs when the database becomes unusable and when it can be used again. An outage has one line for each error code and
 * one for its end, however many statements fail.
 */
export class DatabaseOutages {
  private readonly current = new Map<DatabasePart, Outage>();
  private damage: { readonly fault: unknown; readonly until: number } | undefined;
  private readonly workedAt: Record<DatabasePart, number> = { connect: 0, read: 0, write: 0 };

  /** @param target returns the log fields that name the database. It may throw. */
  constructor(
    private readonly log: Log,
    private readonly target: () => object = () => ({}),
  ) {}

  /**
   * Creates the outages of the configured database. The login is read again for each log line, because secrets are
   * rotated.
   */
  static of(log: Log, settings: Config['database']): DatabaseOutages {
    return new DatabaseOutages(log, () => {
      const target = currentDatabaseTarget(settings);
      if (target.kind !== 'mysql') return { file: databaseFile(target) };
      return { host: `${target.host}:${target.port}`, user: target.user };
    });
  }

  /**
   * Records a temporary fault. It is no outage if another statement has succeeded since `startedAt`.
   *
   * @param startedAt milliseconds of `performance.now()`.
   */
  failed(part: DatabasePart, fault: unknown, startedAt: number): void {
    this.noteDamage(fault);
    if (this.workedAt[part] > startedAt) return;
    const outage = this.current.get(part) ?? { time: new OutageTime(startedAt), codes: new Set() };
    this.current.set(part, outage);
    const err = nameTlsFault(fault);
    outage.fault = err;
    const code = String((err as { code?: unknown }).code);
    if (outage.codes.has(code)) return;
    outage.codes.add(code);
    const { since } = outage.time;
    this.log.warn({ event: 'db.unavailable', part, ...this.shownTarget(), since, err }, adviceOn(part, err));
  }

  /** An unreadable file is not reported here. The code that reads the login reports it. */
  private shownTarget(): object {
    try {
      return this.target();
    } catch {
      return {};
    }
  }

  /** The last fault of the current outage; undefined if no outage was observed. */
  get fault(): unknown {
    return [...this.current.values()].at(-1)?.fault;
  }

  /** Why some pages of an SQLite file cannot be read, although others can. */
  get damagedFile(): unknown {
    if (this.damage !== undefined && performance.now() >= this.damage.until) this.damage = undefined;
    return this.damage?.fault;
  }

  private noteDamage(fault: unknown): void {
    const { code = '' } = (fault ?? {}) as { code?: string };
    if (!isUnreadable(code)) return;
    // The disk may become readable again by itself. A corrupt file stays corrupt.
    const until = code.startsWith('SQLITE_IOERR') ? performance.now() + UNREADABLE_MS : Infinity;
    this.damage = { fault, until: Math.max(until, this.damage?.until ?? 0) };
  }

  /** Records that a statement was answered, or that a connection was opened. */
  worked(part: DatabasePart): void {
    const now = performance.now();
    this.workedAt[part] = this.workedAt.connect = now;
    if (this.current.size === 0) return;
    for (const back of new Set<DatabasePart>([part, 'connect'])) {
      const outage = this.current.get(back);
      if (outage === undefined) continue;
      this.current.delete(back);
      const { since, seconds } = outage.time;
      const fields = { event: 'db.recovered', part: back, ...this.shownTarget(), since, seconds };
      this.log.info(fields, 'The database can be used again');
    }
  }
}

/** The log message: what happened, and what an operator can do. docs/operating/incidents.md explains each code. */
function adviceOn(part: DatabasePart, err: unknown): string {
  if (err instanceof SessionError) return 'The database cannot be used; trying again. Set the server as the error says';
  if (part !== 'connect')
    return 'The database cannot be used; trying again. See err.code in docs/operating/incidents.md';
  return isRefusedByServer(err)
    ? 'The database refuses the login; trying again. Check its password, grants and locks'
    : 'The database cannot be used; trying again. Check that it runs, and can be reached from here';
}

/** Faults of the server's TLS by message, because mysql2 reports all of them as HANDSHAKE_SSL_ERROR. */
const CAUSES: readonly (readonly [code: string, message: RegExp])[] = [
  ['DATABASE_TLS_EXPIRED', /certificate (has expired|is not yet valid)/],
  ['DATABASE_TLS_WRONG_HOST', /does not match certificate/],
  ['DATABASE_TLS_UNTRUSTED', /self-signed certificate|unable to (verify|get)|certificate signature|invalid CA/],
];

/**
 * Gives each fault of the server's TLS its own code, so that an operator can distinguish them. Other faults stay
 * unchanged.
 */
export function nameTlsFault(fault: unknown): unknown {
  if (!(fault instanceof Error)) return fault;
  const { code } = fault as NodeJS.ErrnoException;
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return Object.assign(fault, { code: 'DATABASE_TLS_NOT_OFFERED' });
  if (code !== 'HANDSHAKE_SSL_ERROR') return fault;
  const cause = CAUSES.find(([, message]) => message.test(fault.message))?.[0];
  return Object.assign(fault, { code: cause ?? 'DATABASE_TLS_FAILED' });
}

/** MySQL's errors for a login that does not exist or lacks a privilege, and for an unknown database. */
const NOT_ALLOWED: ReadonlySet<number> = new Set([1045, 1049, 1227, 1698]);

const CANNOT_BE_USED = 'The database cannot be used';

/** The database works, but a lock or a deadlock stopped the work. It may succeed later. */
const IS_LOCKED = 'Another process holds a lock. Try again';

/**
 * The database cannot be used now, for a reason outside this program. The message names the database and the reason in
 * one line.
 */
export class UnusableDatabase extends StartFault {
  constructor(target: DatabaseTarget, reason: string, options?: ErrorOptions, what = CANNOT_BE_USED) {
    const which = databaseFile(target) ?? showDatabaseTarget(target);
    super(`${what}: ${which}: ${reason.replace(/\p{Cc}+/gu, ' ')}`, options);
    this.name = 'UnusableDatabase';
  }
}

/**
 * Translates a failure of the database for a user of the command line.
 *
 * @param thrown an error of a driver or of TypeORM, or an error that wraps one.
 * @returns undefined for a programming error, because its stack tells more.
 */
export function unusableDatabase(thrown: unknown, target: DatabaseTarget): UnusableDatabase | undefined {
  const fault = rootOf(thrown);
  if (!Error.isError(fault) || !(isLockFault(fault) || isOutside(fault))) return undefined;
  const { code, message } = nameTlsFault(fault) as DriverFault;
  const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return new UnusableDatabase(target, reason, { cause: thrown }, isLockFault(fault) ? IS_LOCKED : CANNOT_BE_USED);
}

function isOutside(fault: DriverFault): boolean {
  if (fault instanceof LateError || fault instanceof SessionError || fault.fatal === true) return true;
  if (fault.errno === undefined) return isFileFault(fault.code ?? '');
  return NOT_ALLOWED.has(fault.errno) || isPassing(fault);
}
