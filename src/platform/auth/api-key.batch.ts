import { Gather } from '../gathering/index.js';
import type { KnownApiKey } from './stored-api-key.js';

/** What the database said of one public id. */
export interface Finding {
  readonly key: KnownApiKey | undefined;
  /** When the query was sent, monotonic milliseconds: what it says is no younger than this. */
  readonly askedAt: number;
}

/** @throws what `Database` throws. */
export type FindApiKeys = (ids: readonly string[]) => Promise<readonly KnownApiKey[]>;

/** Nobody looks a key up inside a transaction. */
const NO_TRANSACTION = { inTransaction: false };

/**
 * Asks the database for keys, one query at a time: see `Gather`. So a flood of unknown keys takes one connection, and a
 * valid client's key waits for two queries at most.
 */
export class ApiKeyBatch {
  private readonly asking = new Map<string, Promise<Finding>>();
  private readonly queries: Gather<string, Finding>;

  constructor(find: FindApiKeys, now: () => number = () => performance.now()) {
    this.queries = new Gather(NO_TRANSACTION, async (ids) => {
      const askedAt = now();
      const keys = new Map((await find(ids)).map((key) => [key.id, key]));
      return ids.map((id) => ({ key: keys.get(id), askedAt }));
    });
  }

  /** Whether an answer for this id is on its way. */
  isAsking(id: string): boolean {
    return this.asking.has(id);
  }

  /** Requests for the same id share one query. */
  ask(id: string): Promise<Finding> {
    const shared = this.asking.get(id);
    if (shared !== undefined) return shared;
    const own = this.queries.add(id);
    this.asking.set(id, own);
    const answered = (): unknown => this.asking.delete(id);
    own.then(answered, answered);
    return own;
  }
}
