import { AsyncLocalStorage } from 'node:async_hooks';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LOG, type Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { MAX_CLIENT_LENGTH, printable } from './key-terms.js';
import { sourceOf } from './source-address.js';

/** Why a request's key was not accepted. `missing` is no key at all, or another scheme than Bearer. */
export type RefusalReason =
  'missing' | 'repeated' | 'malformed' | 'unknown' | 'mismatch' | 'revoked' | 'expired' | 'insufficient_scope';

/** What happened to a key. None of it is secret. Points in time are milliseconds since the epoch. */
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
      /** When the old key begins to be refused. */
      readonly expiresAt: number;
    }
  | { readonly event: 'key.revoked'; readonly keyId: string; readonly client: string }
  | {
      readonly event: 'auth.failed';
      readonly reason: RefusalReason;
      /** Present where the key was well formed, whether or not there is such a key. */
      readonly keyId: string | undefined;
      /** The source address, as TRUST_PROXY decides it. */
      readonly address: string;
    };

/** The trail of what happens to keys: each event is one structured log line. Must not throw. */
export abstract class KeyAudit {
  abstract record(event: KeyEvent): void;
}

/**
 * The audit in the service's log: one line an event, whatever `LOG_LEVEL` says, as far as `RefusalLog` lets refusals have
 * one. Every refusal is counted, where there are metrics.
 */
@Injectable()
export class LoggedKeyAudit extends KeyAudit implements OnApplicationShutdown {
  private readonly log: Log;
  private readonly refusals = new RefusalLog({
    one: (refused) => this.writeRefusal(refused),
    rest: (unwritten) => this.writeUnwritten(unwritten),
  });

  constructor(
    @Inject(LOG) log: Pick<Log, 'child'>,
    @Inject(Metrics) private readonly metrics?: Pick<Metrics, 'authFailures'>,
  ) {
    super();
    this.log = log.child({}, { level: 'info' });
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

  private writeRefusal({ event, reason, keyId, address }: RefusedKey): void {
    this.log.warn({ event, reason, key_id: keyId, client_ip: address }, 'A request was refused for its API key');
  }

  private writeUnwritten({ source, reasons }: Unwritten): void {
    const count = Object.values(reasons).reduce((sum, some) => sum + some, 0);
    this.log.warn(
      { event: 'auth.failed', count, reasons, client_ip: source },
      'More requests were refused for their API keys, without a line for each',
    );
  }
}

function about({ event, keyId, client }: Extract<KeyEvent, { client: string }>): object {
  // The row may have come past this program.
  return { event, key_id: keyId, client: printable(client, MAX_CLIENT_LENGTH) };
}

function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}

export type RefusedKey = Extract<KeyEvent, { event: 'auth.failed' }>;

/** Refusals that have no line of their own, in one window. */
export interface Unwritten {
  /** An IPv4 address or an IPv6 /64; undefined for all sources beyond those that are listed by themselves. */
  readonly source: string | undefined;
  readonly reasons: Readonly<Record<string, number>>;
}

interface RefusalLines {
  one(refused: RefusedKey): void;
  rest(unwritten: Unwritten): void;
}

interface Source {
  lines: number;
  readonly reasons: Map<string, number>;
}

const WINDOW_MS = 10_000;
const LINES_OF_A_SOURCE = 50;
const LINES_OF_ALL = 500;
const SOURCES = 100;

/**
 * Keeps guessing from filling disks: in each window of 10 s the first 50 refusals of a source, and 500 of all, have a
 * line each; the rest of a source has one line at the window's end, which counts them by reason. From the 101st source
 * on they are counted together. So a window has 601 lines at most, whatever is sent.
 */
export class RefusalLog {
  private readonly sources = new Map<string | undefined, Source>();
  private lines = 0;
  private timer: NodeJS.Timeout | undefined;
  /** A window belongs to many requests, so its end is in the context of none. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly write: RefusalLines) {}

  record(refused: RefusedKey): void {
    this.timer ??= this.outside(() => setTimeout(() => this.flush(), WINDOW_MS).unref());
    const source = this.sourceAt(sourceOf(refused.address));
    if (source.lines < LINES_OF_A_SOURCE && this.lines < LINES_OF_ALL) {
      source.lines += 1;
      this.lines += 1;
      return this.write.one(refused);
    }
    source.reasons.set(refused.reason, (source.reasons.get(refused.reason) ?? 0) + 1);
  }

  /** Ends the window: writes what was only counted. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const [source, { reasons }] of this.sources) {
      if (reasons.size > 0) this.write.rest({ source, reasons: Object.fromEntries(reasons) });
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
