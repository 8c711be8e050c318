import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from './database.js';
import type { Answer, HttpClient } from './http.js';
import { leftovers } from './leftovers.js';

/** Milliseconds that a client waits after a refusal, so that an outage is no flood of requests. */
const REST_MS = 50;
/** Milliseconds during which a client repeats one request. */
const PATIENCE_MS = 60_000;

/** What the clients create. */
export interface Posted {
  readonly path: string;
  /** The table that stores it, with the columns `id` and `name`. */
  readonly table: string;
  readonly body: (name: string) => object;
}

const PETS: Posted = { path: '/v1/pets', table: 'pet', body: (name) => ({ name, categoryId: 1 }) };

export interface LedgerOptions {
  readonly posted?: Posted;
  /** The number of clients. */
  readonly posters?: number;
  /** Whether clients send an Idempotency-Key, and repeat a request until they know its outcome. */
  readonly keyed?: boolean;
}

/** How the rows in a database agree with the answers that clients got. */
export interface Audit {
  /** Acknowledged, but not stored, or not under the acknowledged id. */
  readonly lost: readonly string[];
  /** Stored more than once. */
  readonly doubled: readonly string[];
  /** Stored, though every answer said that it is not. A 503 says so, unless it says that the outcome is unknown. */
  readonly denied: readonly string[];
  /** Stored, but never acknowledged: the request got a 503 that leaves the outcome open, or no answer. */
  readonly extras: readonly string[];
}

/**
 * Clients that create pets, or other rows, one after another under unique names. Each records the answers that it got.
 * Whatever is killed meanwhile, every acknowledged row must be stored exactly once. Of the others, at most as many may
 * be stored as were in flight at that time.
 */
export class Ledger {
  readonly #client: () => HttpClient;
  readonly #posted: Posted;
  readonly #posters: number;
  readonly #keyed: boolean;
  readonly #prefix = `ledger-${randomBytes(6).toString('hex')}-`;
  readonly #acknowledged = new Map<string, bigint>();
  /** Names that may be stored, since their answer leaves it open or did not come. */
  readonly #open = new Set<string>();
  #count = 0;
  #acknowledgedAt = 0;
  #inFlight = 0;
  #running: Promise<unknown> | undefined;
  #ending = false;
  /** All answers except 201 and 503, and the first 503 of each kind. */
  readonly answers: Answer[] = [];
  /** The longest time so far between two acknowledgements, in milliseconds. */
  longestPauseMs = 0;
  /** How many requests ended with each status; 0 means no answer. */
  readonly statuses = new Map<number, number>();

  /** @param client called before each request, since a restarted service has another address. */
  constructor(client: () => HttpClient, { posters = 32, keyed = false, posted = PETS }: LedgerOptions = {}) {
    this.#client = client;
    this.#posted = posted;
    this.#posters = posters;
    this.#keyed = keyed;
  }

  begin(): void {
    this.#ending = false;
    // Not awaited: the service may be gone by then.
    leftovers.add(() => void this.end());
    this.#acknowledgedAt = performance.now();
    this.#running = Promise.all(Array.from({ length: this.#posters }, () => this.#postOn()));
  }

  /** Resolves once every request has ended. */
  async end(): Promise<void> {
    this.#ending = true;
    await this.#running;
  }

  get acknowledged(): number {
    return this.#acknowledged.size;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Resolves when `count` more rows are acknowledged. Rejects after `limitMs` milliseconds. */
  async untilAcknowledged(count: number, limitMs = 60_000): Promise<void> {
    const goal = this.#acknowledged.size + count;
    for (const deadline = Date.now() + limitMs; this.#acknowledged.size < goal; await sleep(5)) {
      if (Date.now() > deadline) throw new Error(`Acknowledged ${String(this.acknowledged)} of ${String(goal)}`);
    }
  }

  /** Compares the ledger with the database. */
  async audit(database: TestDatabase): Promise<Audit> {
    const rows = await database.query(`SELECT id, name FROM ${this.#posted.table} WHERE name LIKE ?`, [
      `${this.#prefix}%`,
    ]);
    const stored = new Map<string, bigint[]>();
    for (const row of rows) {
      const name = String(row['name']);
      stored.set(name, [...(stored.get(name) ?? []), row['id'] as bigint]);
    }
    const names = [...stored.keys()];
    const extras = names.filter((name) => !this.#acknowledged.has(name));
    return {
      lost: [...this.#acknowledged].filter(([name, id]) => !stored.get(name)?.includes(id)).map(([name]) => name),
      doubled: names.filter((name) => (stored.get(name)?.length ?? 0) > 1),
      denied: extras.filter((name) => !this.#open.has(name)),
      extras,
    };
  }

  async #postOn(): Promise<void> {
    while (!this.#ending) {
      this.#count += 1;
      const name = `${this.#prefix}${String(this.#count)}`;
      const patienceEnds = Date.now() + PATIENCE_MS;
      while (!(await this.#post(name)) && this.#keyed && Date.now() < patienceEnds);
    }
  }

  /** @returns whether the outcome is known. */
  async #post(name: string): Promise<boolean> {
    const headers = this.#keyed ? { 'idempotency-key': name } : {};
    this.#inFlight += 1;
    const answer = await this.#client()
      .post(this.#posted.path, this.#posted.body(name), { headers })
      .catch(() => undefined);
    this.#inFlight -= 1;
    this.#note(name, answer);
    if (answer?.status !== 201) await sleep(REST_MS);
    return answer?.status === 201;
  }

  #note(name: string, answer: Answer | undefined): void {
    const status = answer?.status ?? 0;
    const first = !this.statuses.has(status);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status === 201) this.#acknowledge(name, BigInt((answer?.json() as { id: number | bigint }).id));
    else if (status === 0 || status === 409 || answer?.text.includes('It is not known') === true) this.#open.add(name);
    if (answer !== undefined && status !== 201 && (first || status !== 503)) this.answers.push(answer);
  }

  #acknowledge(name: string, id: bigint): void {
    const now = performance.now();
    this.longestPauseMs = Math.max(this.longestPauseMs, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
    this.#acknowledged.set(name, id);
  }
}
