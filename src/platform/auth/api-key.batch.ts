import { AsyncLocalStorage } from 'node:async_hooks';
import type { KnownApiKey } from './stored-api-key.js';

/** What the database said of one public id. */
export interface Finding {
  readonly key: KnownApiKey | undefined;
  /** When the query was sent, monotonic milliseconds: what it says is no younger than this. */
  readonly askedAt: number;
}

/** @throws what `Database` throws. */
export type FindApiKeys = (ids: readonly string[]) => Promise<readonly KnownApiKey[]>;

type Waiting = Map<string, PromiseWithResolvers<Finding>>;

const BATCH_SIZE = 64;

/**
 * Asks the database for keys, one query at a time: whatever is asked while a query runs goes out together in the next.
 * So a flood of unknown keys takes one connection, and a valid client's key waits for two queries at most.
 */
export class ApiKeyBatch {
  private waiting: Waiting = new Map();
  private asked: Waiting = new Map();
  private running = false;
  /** Queries serve many requests, so they run outside the context of the one that happens to start them. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(
    private readonly find: FindApiKeys,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether an answer for this id is on its way. */
  isAsking(id: string): boolean {
    return this.waiting.has(id) || this.asked.has(id);
  }

  /** Requests for the same id share one query. */
  ask(id: string): Promise<Finding> {
    const shared = this.waiting.get(id) ?? this.asked.get(id);
    if (shared !== undefined) return shared.promise;
    const own = Promise.withResolvers<Finding>();
    this.waiting.set(id, own);
    if (!this.running) this.outside(() => void this.run());
    return own.promise;
  }

  private async run(): Promise<void> {
    this.running = true;
    while (this.waiting.size > 0) {
      this.board();
      const askedAt = this.now();
      try {
        const keys = new Map((await this.find([...this.asked.keys()])).map((key) => [key.id, key]));
        for (const [id, { resolve }] of this.asked) resolve({ key: keys.get(id), askedAt });
      } catch (error) {
        this.fail(error);
      }
      this.asked = new Map();
    }
    this.running = false;
  }

  private board(): void {
    for (const [id, own] of this.waiting) {
      if (this.asked.size === BATCH_SIZE) return;
      this.asked.set(id, own);
      this.waiting.delete(id);
    }
  }

  /** Those who wait fail with the query that they waited for: behind a hung database nobody waits for two deadlines. */
  private fail(error: unknown): void {
    for (const { reject } of [...this.asked.values(), ...this.waiting.values()]) reject(error);
    this.waiting = new Map();
  }
}
