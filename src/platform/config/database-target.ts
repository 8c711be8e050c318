import { resolve } from 'node:path';
import { ConfigError, readValueFile } from './environment.js';
import { bareHost, isHost, parserOf, parseUrl, valueKind } from './value-kinds.js';

/** The database that DATABASE_URL names, every part percent-decoded. */
export type DatabaseTarget = MySqlTarget | SqliteTarget;

export interface MySqlTarget {
  readonly kind: 'mysql';
  /** An IP address (v6 without brackets) or a host name. */
  readonly host: string;
  /** 3306 if the URL has no port. */
  readonly port: number;
  readonly user: string;
  /** Empty if the URL has no password. */
  readonly password: string;
  readonly database: string;
}

export interface SqliteTarget {
  readonly kind: 'sqlite';
  /** A path, relative to the working directory or absolute, or `:memory:`. */
  readonly path: string;
}

export const databaseUrl = valueKind<DatabaseTarget>(
  'mysql://user:password@host:port/database or sqlite:path, each part percent-encoded',
  (text) => (text.startsWith('sqlite:') ? parseSqliteUrl(text) : parseMySqlUrl(text)),
  showDatabaseTarget,
);

function parseMySqlUrl(text: string): MySqlTarget | undefined {
  const url = text.startsWith('mysql://') ? parseUrl(text, ['mysql:']) : undefined;
  // An unencoded `#`, `?` or `/` in a password ends up in these parts. The URL is refused, so that no half of a
  // password is used.
  if (!url || /[?#]/.test(text) || url.port === '0') return undefined;
  const database = decodePart(url.pathname.slice(1));
  const user = decodePart(url.username);
  const password = url.password === '' ? '' : decodePart(url.password);
  const host = bareHost(url);
  if (!database || url.pathname.slice(1).includes('/') || !user || password === undefined || !isHost(host)) {
    return undefined;
  }
  return { kind: 'mysql', host, port: url.port === '' ? 3306 : Number(url.port), user, password, database };
}

function parseSqliteUrl(text: string): SqliteTarget | undefined {
  const encoded = text.slice('sqlite:'.length);
  // In `sqlite://name` the name would be a host, and SQLite has no hosts. `sqlite:///path` is the absolute path.
  if (/[?#]/.test(encoded) || /^\/\/[^/]/.test(encoded)) return undefined;
  const path = decodePart(encoded.replace(/^\/{2,}/, '/'));
  return path && path !== '/' ? { kind: 'sqlite', path } : undefined;
}

/** Percent-decodes a part of the URL; undefined if that fails or the text then has a control character. */
function decodePart(encoded: string): string | undefined {
  try {
    const text = decodeURIComponent(encoded);
    return /\p{Cc}/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The absolute path of an SQLite file; undefined for a server or a database in memory. */
export function databaseFile(target: DatabaseTarget): string | undefined {
  return target.kind === 'sqlite' && target.path !== ':memory:' ? resolve(target.path) : undefined;
}

/** The target as a URL for a person to read. A password is shown as three stars. */
export function showDatabaseTarget(target: DatabaseTarget): string {
  if (target.kind === 'sqlite') {
    return `sqlite:${target.path.replace(/[%?#]/g, encodeURIComponent)}`;
  }
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  const secret = target.password === '' ? '' : ':***';
  const user = encodeURIComponent(target.user);
  return `mysql://${user}${secret}@${host}:${target.port}/${encodeURIComponent(target.database)}`;
}

interface CurrentTarget {
  readonly target: DatabaseTarget;
  /** The file that DATABASE_URL was read from, if it was. */
  readonly urlFile: string | undefined;
}

/**
 * The target for a new connection. If DATABASE_URL came from a file, the file is read again: a rotated password then
 * takes effect with the next connection, without a restart.
 *
 * @throws {ConfigError} if the file cannot be read any more, or its content is invalid.
 */
export function currentDatabaseTarget(database: CurrentTarget): DatabaseTarget {
  if (database.urlFile === undefined) return database.target;
  const name = 'DATABASE_URL';
  const read = readValueFile(name, database.urlFile);
  if ('reason' in read) throw new ConfigError([read]);
  try {
    return parserOf(databaseUrl())(read.text);
  } catch (error) {
    throw new ConfigError([{ name, reason: error instanceof Error ? error.message : 'cannot be read' }]);
  }
}
