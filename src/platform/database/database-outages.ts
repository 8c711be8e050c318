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

/** What can fail of a database by itself: a full disk still takes reads, a locked table still takes logins. */
export type DatabasePart = 'connect' | 'read' | 'write';

/** Milliseconds for which a disk that could not be read once is not trusted. What is corrupt stays so until the next start. */
const UNREADABLE_MS = 60_000;

interface Outage {
  readonly time: OutageTime;
  /** The last that was reported. */
  fault?: unknown;
  /** The codes that were reported of it. */
  readonly codes: Set<string>;
}

/** Logs when the database cannot be used and when it can again: a line or two for each outage, however many statements fail. */
export class DatabaseOutages {
  private readonly current = new Map<DatabasePart, Outage>();
  private damage: { readonly fault: unknown; readonly until: number } | undefined;
  private readonly workedAt: Record<DatabasePart, number> = { connect: 0, read: 0, write: 0 };

  /** @param target says which database it is. It may throw. */
  constructor(
    private readonly log: Log,
    private readonly target: () => object = () => ({}),
  ) {}

  /** Those of the database that is configured, by the login of now, as secrets are rotated. */
  static of(log: Log, settings: Config['database']): DatabaseOutages {
    return new DatabaseOutages(log, () => {
      const target = currentDatabaseTarget(settings);
      if (target.kind !== 'mysql') return { file: databaseFile(target) };
      return { host: `${target.host}:${target.port}`, user: target.user };
    });
  }

  /**
   * Something failed for a reason that passes. Where another statement succeeded meanwhile it is no outage.
   *
   * @param startedAt monotonic, as `performance.now()` gives it.
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

  /** A file that cannot be read now is reported where the login is read. */
  private shownTarget(): object {
    try {
      return this.target();
    } catch {
      return {};
    }
  }

  /** What the database, or a part of it, cannot be used for now; undefined while all is well, as far as was seen. */
  get fault(): unknown {
    return [...this.current.values()].at(-1)?.fault;
  }

  /** Why pages of an SQLite file cannot be read, though others can. */
  get damagedFile(): unknown {
    if (this.damage !== undefined && performance.now() >= this.damage.until) this.damage = undefined;
    return this.damage?.fault;
  }

  private noteDamage(fault: unknown): void {
    const { code = '' } = (fault ?? {}) as { code?: string };
    if (!isUnreadable(code)) return;
    // The disk may be readable again later, without anybody's help; a file that is damaged stays so.
    const until = code.startsWith('SQLITE_IOERR') ? performance.now() + UNREADABLE_MS : Infinity;
    this.damage = { fault, until: Math.max(until, this.damage?.until ?? 0) };
  }

  /** A statement that reads or writes was answered, or a connection was made. */
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

/** What happened, and what whoever is called can do; docs/operating/incidents.md has more for each code. */
function adviceOn(part: DatabasePart, err: unknown): string {
  if (err instanceof SessionError) return 'The database cannot be used; trying again. Set the server as the error says';
  if (part !== 'connect')
    return 'The database cannot be used; trying again. See err.code in docs/operating/incidents.md';
  return isRefusedByServer(err)
    ? 'The database refuses the login; trying again. Check its password, grants and locks'
    : 'The database cannot be used; trying again. Check that it runs, and can be reached from here';
}

/** What is wrong with the server's TLS; mysql2 calls all of it HANDSHAKE_SSL_ERROR. */
const CAUSES: readonly (readonly [code: string, message: RegExp])[] = [
  ['DATABASE_TLS_EXPIRED', /certificate (has expired|is not yet valid)/],
  ['DATABASE_TLS_WRONG_HOST', /does not match certificate/],
  ['DATABASE_TLS_UNTRUSTED', /self-signed certificate|unable to (verify|get)|certificate signature|invalid CA/],
];

/** Gives a fault of the server's TLS a code of its own, by which an operator tells them apart. Others stay as they are. */
export function nameTlsFault(fault: unknown): unknown {
  if (!(fault instanceof Error)) return fault;
  const { code } = fault as NodeJS.ErrnoException;
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return Object.assign(fault, { code: 'DATABASE_TLS_NOT_OFFERED' });
  if (code !== 'HANDSHAKE_SSL_ERROR') return fault;
  const cause = CAUSES.find(([, message]) => message.test(fault.message))?.[0];
  return Object.assign(fault, { code: cause ?? 'DATABASE_TLS_FAILED' });
}

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
  const { code, message } = nameTlsFault(fault) as DriverFault;
  const reason = code === undefined || message.includes(code) ? message : `${message} (${code})`;
  return new UnusableDatabase(target, reason, { cause: thrown }, isLockFault(fault) ? IS_LOCKED : CANNOT_BE_USED);
}

function isOutside(fault: DriverFault): boolean {
  if (fault instanceof LateError || fault instanceof SessionError || fault.fatal === true) return true;
  if (fault.errno === undefined) return isFileFault(fault.code ?? '');
  return NOT_ALLOWED.has(fault.errno) || isPassing(fault);
}
