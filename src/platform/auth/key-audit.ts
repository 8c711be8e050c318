import { AsyncLocalStorage } from 'node:async_hooks';
import { isIPv6 } from 'node:net';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { MAX_CLIENT_LENGTH, printable } from './key-terms.js';

/** Why a request was refused for its key. `missing`: no key, or another scheme than Bearer. */
export type RefusalReason =
  'missing' | 'repeated' | 'malformed' | 'unknown' | 'mismatch' | 'revoked' | 'expired' | 'insufficient_scope';

/** An event in the life of a key. No field is secret. Points in time are milliseconds since the Unix epoch. */
export type KeyEvent =
  | {
      readonly event: 'key.created';
      readonly keyId: string;
      readonly client: string;
      readonly scopes: readonly string[];
      readonly expiresAt: number | undefined;
    }
  | {
      readonly event: 'key.rolled';
      readonly keyId: string;
      readonly client: string;
      readonly successorId: string;
      /** When the old key expires. */
      readonly expiresAt: number;
    }
  | { readonly event: 'key.revoked'; readonly keyId: string; readonly client: string }
  | {
      readonly event: 'auth.failed';
      readonly reason: RefusalReason;
      /** Present if the key was well formed, even if there is no such key. */
      readonly keyId: string | undefined;
      /** The source address, as TRUST_PROXY determines it. */
      readonly address: string;
    };

/** Records what happens to keys. `record` must not throw. */
export abstract class KeyAudit {
  abstract record(event: KeyEvent): void;
}

/**
 * Writes the audit into the log of the service: one line per event, whatever `LOG_LEVEL` is. `RefusalLog` limits the
 * lines of refusals. The metrics count every refusal.
 */
@Injectable()
export class LoggedKeyAudit extends KeyAudit implements OnApplicationShutdown {
  private readonly log: Log;
  private readonly refusals: RefusalLog;

  constructor(
    @Inject(LOG) log: Pick<Log, 'child'>,
    @Inject(Metrics) private readonly metrics?: Pick<Metrics, 'authFailures'>,
  ) {
    super();
    this.log = log.child({}, { level: 'info' });
    this.refusals = new RefusalLog(this.log);
  }

  onApplicationShutdown(): void {
    this.refusals.flush();
  }

  record(event: KeyEvent): void {
    switch (event.event) {
      case 'auth.failed':
        this.metrics?.authFailures.inc({ reason: event.reason });
        return this.refusals.record(event);
      case 'key.created':
        return this.log.info(
          { ...about(event), scopes: event.scopes, expires_at: isoTime(event.expiresAt) },
          'An API key was made',
        );
      case 'key.rolled':
        return this.log.info(
          { ...about(event), successor_id: event.successorId, expires_at: isoTime(event.expiresAt) },
          'An API key was rolled',
        );
      case 'key.revoked':
        return this.log.info(about(event), 'An API key was revoked');
    }
  }
}

function about({ event, keyId, client }: Extract<KeyEvent, { client: string }>): object {
  // Another program may have written the row.
  return { event, key_id: keyId, client: printable(client, MAX_CLIENT_LENGTH) };
}

function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

export type RefusedKey = Extract<KeyEvent, { event: 'auth.failed' }>;

interface Source {
  lines: number;
  readonly reasons: Map<string, number>;
}

const WINDOW_MS = 10_000;
const LINES_OF_A_SOURCE = 50;
const LINES_OF_ALL = 500;
const SOURCES = 100;

/**
 * Prevents that key guessing fills disks. In each window of 10 s, the first 50 refusals of a source, and the first 500
 * of all sources, have a line each. At the end of the window, one line per source counts the others by reason. The
 * 101st source and all later ones are counted together. So a window has at most 601 lines.
 */
export class RefusalLog {
  /** By IPv4 address or IPv6 /64. The key undefined counts the 101st source and all later ones together. */
  private readonly sources = new Map<string | undefined, Source>();
  private lines = 0;
  private timer: NodeJS.Timeout | undefined;
  /** A window serves many requests, so its timer runs outside the context of each. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly log: Pick<Log, 'warn'>) {}

  record({ event, reason, keyId, address }: RefusedKey): void {
    this.timer ??= this.outside(() => setTimeout(() => this.flush(), WINDOW_MS).unref());
    const source = this.sourceAt(sourceOf(address));
    if (source.lines < LINES_OF_A_SOURCE && this.lines < LINES_OF_ALL) {
      source.lines += 1;
      this.lines += 1;
      const fields = { event, reason, key_id: keyId, client_ip: address };
      return this.log.warn(fields, 'A request was refused for its API key');
    }
    source.reasons.set(reason, (source.reasons.get(reason) ?? 0) + 1);
  }

  /** Ends the window: writes the refusals that were only counted. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [source, { reasons }] of this.sources) {
      if (reasons.size === 0) continue;
      const count = [...reasons.values()].reduce((sum, some) => sum + some, 0);
      this.log.warn(
        { event: 'auth.failed', count, reasons: Object.fromEntries(reasons), client_ip: source },
        'More requests were refused for their API keys, without a line for each',
      );
    }
    this.sources.clear();
    this.lines = 0;
  }

  private sourceAt(address: string): Source {
    const key = this.sources.has(address) || this.sources.size < SOURCES ? address : undefined;
    let source = this.sources.get(key);
    if (source === undefined) {
      source = { lines: 0, reasons: new Map() };
      this.sources.set(key, source);
    }
    return source;
  }
}

/**
 * The source for which failed authentications are counted: an IPv4 address, or the /64 of an IPv6 address. One host may
 * use all addresses of its /64 (RFC 4291 §2.5.1), so a limit on single addresses would limit nothing.
 *
 * @param address of a socket or of X-Forwarded-For. A text that is no IPv6 address is returned unchanged.
 */
export function sourceOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = '', tail] = (address.split('%', 1)[0] as string).split('::');
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - front.length - back.length) }, () => '0');
  const network = [...front, ...zeros, ...back].slice(0, 4);
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/**
 * An IPv4 address at the end stands for two groups. They are never among the first four groups, so their value does not
 * matter.
 */
function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
