import { Batcher } from '../database/index.js';
import type { KnownApiKey } from './api-key.js';

const DEFAULT_CAPACITY = 10_000;

/** What the database said of one public id. */
interface Finding {
  readonly key: KnownApiKey | undefined;
  /** When the query was sent, monotonic milliseconds: what it says is no younger than this. */
  readonly askedAt: number;
}

/** @throws {QueryFailedError} (rejects). */
export type FindApiKeys = (ids: readonly string[]) => Promise<readonly KnownApiKey[]>;

/** Keys are never looked up inside a transaction. */
const NO_TRANSACTION = { inTransaction: false };

/**
 * Keys by public id, as the database had them not longer ago than a fixed life, counted from when the query was sent:
 * so a revocation takes effect here one life after it was committed at the latest. Ids that do not exist are remembered as
 * long, in a space of their own, where no flood of them can displace a real key. Both spaces are bounded.
 *
 * The database is asked by one query at a time: see `Batcher`. So a flood of unknown keys takes one connection, and a valid
 * client's key waits for two queries at most.
 */
export class ApiKeyCache {
  private readonly known = new Map<string, Finding>();
  private readonly unknown = new Map<string, Finding>();
  /** Ids whose answer is on its way. Requests for the same id share one query. */
  private readonly asking = new Map<string, Promise<KnownApiKey | undefined>>();
  private readonly queries: Batcher<string, Finding>;

  /**
   * @param lifeMs 0 remembers nothing.
   * @param capacity entries per space; the oldest make room.
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

  /** At once where the id is remembered, else when the database has answered. @throws {QueryFailedError} (rejects). */
  find(id: string): KnownApiKey | undefined | Promise<KnownApiKey | undefined> {
    // Both are always looked up, so that the time does not reveal whether the id exists.
    const known = this.known.get(id);
    const unknown = this.unknown.get(id);
    const finding = known ?? unknown;
    const age = finding === undefined ? Infinity : this.now() - finding.askedAt;
    if (finding === undefined || age >= this.lifeMs) return this.ask(id);
    // Renewed ahead of its end, so that no request of a busy client waits for the database.
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
