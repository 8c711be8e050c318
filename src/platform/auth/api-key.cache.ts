import { Batcher } from '../database/index.js';
import type { KnownApiKey } from './api-key.js';

const DEFAULT_CAPACITY = 10_000;

/** What the database knew of one public id. */
interface Finding {
  readonly key: KnownApiKey | undefined;
  /** When the query was sent. Monotonic milliseconds. The key is at least as new as this. */
  readonly askedAt: number;
}

/** @throws {QueryFailedError} (rejects). */
export type FindApiKeys = (ids: readonly string[]) => Promise<readonly KnownApiKey[]>;

/** Keys are never looked up inside a transaction. */
const NO_TRANSACTION = { inTransaction: false };

/**
 * Caches keys by public id for a fixed life, which begins when the query is sent. So a revocation takes effect at most
 * one life after its commit. Ids that do not exist are cached for the same time in a separate map, so a flood of them
 * cannot displace real keys. Both maps are bounded.
 *
 * The database gets one query at a time: see `Batcher`. So a flood of unknown keys takes one connection. The key of a
 * valid client waits for the running query, and for one query per 64 ids that were asked for before it.
 */
export class ApiKeyCache {
  private readonly known = new Map<string, Finding>();
  private readonly unknown = new Map<string, Finding>();
  /** Ids that are being looked up. Requests for the same id share one lookup. */
  private readonly asking = new Map<string, Promise<KnownApiKey | undefined>>();
  private readonly queries: Batcher<string, Finding>;

  /**
   * @param lifeMs milliseconds. 0: nothing is cached.
   * @param capacity entries per map. A new entry displaces the oldest.
   */
  constructor(
    find: FindApiKeys,
    private readonly lifeMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly capacity = DEFAULT_CAPACITY,
  ) {
    this.queries = new Batcher(NO_TRANSACTION, async (ids) => {
      const askedAt = now();
      const keys = new Map((await find(ids)).map((key) => [key.id, key]));
      return ids.map((id) => ({ key: keys.get(id), askedAt }));
    });
  }

  /**
   * Returns a cached key without a promise.
   *
   * @throws {QueryFailedError} (rejects).
   * @throws {ApiError} (rejects) `service_unavailable` if the database is not asked, because too many ids wait.
   */
  find(id: string): KnownApiKey | undefined | Promise<KnownApiKey | undefined> {
    // Both maps are always read, so that the timing does not reveal whether the id exists.
    const known = this.known.get(id);
    const unknown = this.unknown.get(id);
    const finding = known ?? unknown;
    const age = finding === undefined ? Infinity : this.now() - finding.askedAt;
    if (finding === undefined || age >= this.lifeMs) return this.ask(id);
    // The key is looked up again before its life ends, so that no request of a busy client waits for the database.
    if (age >= this.lifeMs / 2) this.ask(id).catch(() => undefined);
    return finding.key;
  }

  private ask(id: string): Promise<KnownApiKey | undefined> {
    const shared = this.asking.get(id);
    if (shared !== undefined) return shared;
    const answer = this.query(id).finally(() => this.asking.delete(id));
    this.asking.set(id, answer);
    return answer;
  }

  private async query(id: string): Promise<KnownApiKey | undefined> {
    const finding = await this.queries.add(id);
    if (this.lifeMs > 0) this.remember(id, finding);
    return finding.key;
  }

  private remember(id: string, finding: Finding): void {
    const [space, other] = finding.key === undefined ? [this.unknown, this.known] : [this.known, this.unknown];
    other.delete(id);
    space.delete(id);
    space.set(id, finding);
    if (space.size > this.capacity) space.delete(space.keys().next().value as string);
  }
}
