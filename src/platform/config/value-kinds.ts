import { accessSync, constants, statSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { EnvError, makeExactValidator, type ExactValidator, type ValidatorSpec } from 'envalid';

/** Parses one kind of value, and converts it back to text. */
export interface ValueParser<T> {
  (text: string): T;
  /** Completes the sentence "must be …". */
  readonly accepts: string;
  /** Converts the value to text, with secrets masked. */
  readonly show: (value: T) => string;
}

const parsers = new WeakMap<ValidatorSpec<unknown>, ValueParser<unknown>>();

/**
 * Defines a kind of value as an envalid validator.
 *
 * @param accepts completes the sentence "must be …" in error messages and in the documentation.
 * @param parse returns the value, or undefined if the text is invalid.
 * @param show converts the value to text, with secrets masked.
 */
export function valueKind<T>(
  accepts: string,
  parse: (text: string) => T | undefined,
  show: (value: T) => string = String,
): ExactValidator<T> {
  const parser = (text: string): T => {
    const value = parse(text);
    if (value === undefined) throw new EnvError(`must be ${accepts}`);
    return value;
  };
  const declare = makeExactValidator<T>(parser) as (options?: object) => ValidatorSpec<T>;
  return ((options?: object) => {
    const spec = declare(options);
    parsers.set(spec, Object.assign(parser, { accepts, show }) as ValueParser<unknown>);
    return spec;
  }) as ExactValidator<T>;
}

/** The parser of a variable that was declared with one of these kinds. */
export function parserOf<T>(spec: ValidatorSpec<T>): ValueParser<T> {
  return parsers.get(spec) as ValueParser<T>;
}

/** A decimal integer from `min` to `max`, both included. No sign, no leading zero, no exponent, no space. */
export function integer(min: number, max: number): ExactValidator<number> {
  return valueKind(`a whole number from ${min} to ${max}`, (text) => integerWithin(text, min, max));
}

function integerWithin(text: string, min: number, max: number): number | undefined {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
]);

export const boolean = valueKind('true or false', (text) => BOOLEANS.get(text));

/** OpenTelemetry ignores the letter case of booleans. */
export const openTelemetryBoolean = valueKind('true or false', (text) => BOOLEANS.get(text.toLowerCase()));

/** One of the given words, exactly as written. */
export function oneOf<const Word extends string>(...words: readonly Word[]): ExactValidator<Word> {
  return valueKind<Word>(`one of ${words.join(', ')}`, (text) => words.find((word) => word === text));
}

/** Some of the given words, exactly as written, separated by commas. */
export function someOf<const Word extends string>(...words: readonly Word[]): ExactValidator<readonly Word[]> {
  return listKind(`some of ${words.join(', ')}, with commas between`, (item) => words.find((word) => word === item));
}

/** A day, `YYYY-MM-DD`, as its first instant in UTC. */
export const isoDate = valueKind<Date>(
  'a date, YYYY-MM-DD',
  (text) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
    const date = new Date(`${text}T00:00:00Z`);
    // The parser of dates reads 30 February as a day in March.
    return !Number.isNaN(date.getTime()) && showDate(date) === text ? date : undefined;
  },
  showDate,
);

function showDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The path of a file that can be read now. The value is the path: the code that needs the file opens it again. */
export const readableFile = valueKind('the path of a file that can be read', (path) =>
  isReadableFile(path) ? path : undefined,
);

export function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Names of features, in lower kebab case. */
export const featureNames = listKind('a comma-separated list of names of features', (item) =>
  /^[a-z][a-z0-9-]*$/.test(item) ? item : undefined,
);

function listKind<T>(accepts: string, parse: (item: string) => T | undefined): ExactValidator<readonly T[]> {
  return valueKind<readonly T[]>(
    accepts,
    (text) => listOf(text, parse),
    (list) => list.join(','),
  );
}

/** The items between commas, without the spaces around them; undefined if one item is invalid. */
function listOf<T>(text: string, parse: (item: string) => T | undefined): readonly T[] | undefined {
  const items = text.split(',').map((item) => parse(item.trim()));
  return items.includes(undefined) ? undefined : (items as T[]);
}

/** Dot-separated labels of letters, digits and inner hyphens (RFC 1123 §2.1), or an underscore, as Docker allows. */
const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

/** Whether the text is an IP address (v6 without brackets) or a well-formed host name. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || (hostName.test(text) && !/^[\d.]+$/.test(text));
}

export const host = valueKind('an IP address or a host name', (text) => (isHost(text) ? text : undefined));

/** The URL at which clients reach the API. It is normalised by the URL parser, so that a path can follow it. */
export const baseUrl = valueKind('an absolute http or https URL that ends in /v1, without a trailing slash', (text) => {
  const url = parseHttpUrl(text);
  return url?.pathname.endsWith('/v1') && url.search === '' && !/[?#]/.test(text) ? url.href : undefined;
});

/** A `mailto:` URL for an e-mail address, else the URL. Nothing checks that the address receives mail. */
export const contact = valueKind(
  'an e-mail address, or an absolute http or https URL',
  (text) => (isMailAddress(text) ? `mailto:${text}` : parseHttpUrl(text)?.href),
  (url) => url.replace(/^mailto:/, ''),
);

function isMailAddress(text: string): boolean {
  const domain = /^[\w.+-]{1,64}@([^@]+)$/.exec(text)?.[1];
  return domain !== undefined && isHost(domain);
}

/** Origins as a browser sends them: scheme, host, and the port unless it is the default of the scheme. */
export const origins = listKind('a comma-separated list of http or https origins', (item) =>
  parseHttpUrl(item)?.origin === item ? item : undefined,
);

/** The number of proxies in front of the service, or their addresses: the two forms that Express accepts. */
export const proxies = valueKind<number | readonly string[]>(
  'a number of hops from 0 to 32, or a comma-separated list of IP addresses and CIDR ranges',
  (text) => integerWithin(text, 0, 32) ?? listOf(text, (item) => (isAddressRange(item) ? item : undefined)),
  (value) => (typeof value === 'number' ? String(value) : value.join(',')),
);

export const redisUrl = valueKind(
  'redis://user:password@host:port/number, or rediss:// for TLS',
  (text) => {
    const url = parseUrl(text, ['redis:', 'rediss:']);
    return url && isHost(bareHost(url)) && /^(\/(0|[1-9]\d{0,4})?)?$/.test(url.pathname) ? text : undefined;
  },
  (text) => {
    const url = new URL(text);
    if (url.password !== '') url.password = '***';
    return url.href;
  },
);

/**
 * A URL with one of these schemes, or undefined. The URL parser would drop spaces, so texts with spaces are refused
 * first.
 */
export function parseUrl(text: string, schemes: readonly string[]): URL | undefined {
  const url = /[\s\p{Cc}]/u.test(text) ? null : URL.parse(text);
  return url !== null && schemes.includes(url.protocol) && url.hostname !== '' ? url : undefined;
}

/** The host without the brackets that a URL puts around an IPv6 address. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function parseHttpUrl(text: string): URL | undefined {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text, ['http:', 'https:']) : undefined;
  return url?.username === '' && url.password === '' ? url : undefined;
}

/**
 * An IP address or a CIDR range. Prefix length 0 is refused: that range contains every address, so any client could
 * claim any address.
 */
function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return false;
  return prefix === undefined || integerWithin(prefix, 1, isIPv4(address) ? 32 : 128) !== undefined;
}
