import { isIP, isIPv4 } from 'node:net';
import { integerWithin, listOf, valueKind } from './value-kinds.js';

/** Dot-separated labels of letters, digits and inner hyphens (RFC 1123 §2.1), or an underscore, as Docker allows. */
const hostName = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

/** Whether this is an IP address (v6 without brackets) or a well-formed host name. */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || (hostName.test(text) && !/^[\d.]+$/.test(text));
}

export const host = valueKind('an IP address or a host name', (text) => (isHost(text) ? text : undefined));

/** Where the API is reached from outside. Written as a URL parser writes it, so that it can be put before any path. */
export const baseUrl = valueKind('an absolute http or https URL that ends in /v1, without a trailing slash', (text) => {
  const url = parseHttpUrl(text);
  return url?.pathname.endsWith('/v1') && url.search === '' && !/[?#]/.test(text) ? url.href : undefined;
});

/** As the URL that a link has. Whether an address receives mail, nobody can see from its text. */
export const contact = valueKind(
  'an e-mail address, or an absolute http or https URL',
  (text) => (isMailAddress(text) ? `mailto:${text}` : parseHttpUrl(text)?.href),
  (url) => url.replace(/^mailto:/, ''),
);

function isMailAddress(text: string): boolean {
  const domain = /^[\w.+-]{1,64}@([^@]+)$/.exec(text)?.[1];
  return domain !== undefined && isHost(domain);
}

/** Origins as a browser sends them: scheme, host and a port that is not the scheme's own. */
export const origins = valueKind<readonly string[]>(
  'a comma-separated list of http or https origins',
  (text) => listOf(text, (item) => (parseHttpUrl(item)?.origin === item ? item : undefined)),
  (list) => list.join(','),
);

/** How many proxies stand in front, or the addresses that are proxies: the two forms that Express takes. */
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

/** A URL of one of these schemes, or undefined. Spaces are refused, where the parser alone would drop them. */
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

/** An address, or one with a prefix length from 1 on: a range of everything would trust whatever a client claims. */
function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  if (rest.length > 0 || isIP(address) === 0 || address.includes('%')) return false;
  return prefix === undefined || integerWithin(prefix, 1, isIPv4(address) ? 32 : 128) !== undefined;
}
