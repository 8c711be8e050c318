import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestDatabase } from './database.js';
import type { Answer, HttpClient } from './http.js';
import { leftovers } from './leftovers.js';

/** Milliseconds that a poster rests after it was refused, so that an outage is no flood. */
const REST_MS = 50;
/** Milliseconds that a poster repeats one request for. */
const PATIENCE_MS = 60_000;

/** What clients post. */
export interface Posted {
  readonly path: string;
  /** Where it is stored, with the columns `id` and `name`. */
  readonly table: string;
  readonly body: (name: string) => object;
}

const PETS: Posted = { path: '/v1/pets', table: 'pet', body: (name) => ({ name, categoryId: 1 }) };

export interface LedgerOptions {
  readonly posted?: Posted;
  /** How many clients. */
  readonly posters?: number;
  /** Whether they send an Idempotency-Key, and repeat a request whose outcome they do not know until they do. */
  readonly keyed?: boolean;
}

/** How the rows in a database agree with what clients were told. */
export interface Audit {
  /** Acknowledged and not stored, or not under the acknowledged id. */
  readonly lost: readonly string[];
  /** Stored more than once. */
  readonly doubled: readonly string[];
  /** Stored, though each answer said that it is not; a 503 says so unless it says that this is not known. */
  readonly denied: readonly string[];
  /** Stored though nobody was told so: its request got 503 that leaves it open, or no answer. */
  readonly extras: readonly string[];
}

/**
 * Clients that post pets, or what else is named, with names of their own, one after another each, and keep a ledger of what they were told.
 * Whatever dies meanwhile, every acknowledged one must be stored exactly once, and of the others no more than were in
 * flight when it died.
 */
export class Ledger {
  readonly #client: () => HttpClient;
  readonly #posted: Posted;
  readonly #posters: number;
  readonly #keyed: boolean;
  readonly #prefix = `ledger-${randomBytes(6).toString('hex')}-`;
  readonly #acknowledged = new Map<string, bigint>();
  /** What may have been stored, by an answer or the lack of one. */
  readonly #open = new Set<string>();
  #count = 0;
  #acknowledgedAt = 0;
  #inFlight = 0;
  #running: Promise<unknown> | undefined;
  #ending = false;
  /** Answers that are neither 201 nor 503, and the first of each kind of 503. */
  readonly answers: Answer[] = [];
  /** The longest time between two acknowledged rows so far, in milliseconds. */
  longestPauseMs = 0;
  /** How many requests ended with each status; 0 is no answer. */
  readonly statuses = new Map<number, number>();

  /** @param client asked before each request, since a service that is started again has another address. */
  constructor(client: () => HttpClient, { posters = 32, keyed = false, posted = PETS }: LedgerOptions = {}) {
    this.#client = client;
    this.#posted = posted;
    this.#posters = posters;
    this.#keyed = keyed;
  }

  begin(): void {
    this.#ending = false;
    // Not waited for: the service may be gone by then.
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

  /** Requests that have not ended. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Resolves when `count` more were acknowledged. Rejects at the limit. */
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

  /** @returns whether its outcome is known. */
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
