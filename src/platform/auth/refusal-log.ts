import { AsyncLocalStorage } from 'node:async_hooks';
import type { KeyEvent } from './key-audit.js';
import { sourceOf } from './source-address.js';

export type RefusedKey = Extract<KeyEvent, { event: 'auth.failed' }>;

/** Refusals that have no line of their own, in one window. */
export interface Unwritten {
  /** An IPv4 address or an IPv6 /64; undefined for all sources beyond those that are told apart. */
  readonly source: string | undefined;
  readonly reasons: Readonly<Record<string, number>>;
}

export interface RefusalLines {
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
