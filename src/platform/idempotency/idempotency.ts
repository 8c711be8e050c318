import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '../clock.js';
import { Database, LockWaitError } from '../database/index.js';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { Answer } from '../http/index.js';
import { inTime } from '../in-time.js';
import { IdempotencyStore, type StoredAnswer } from './idempotency.store.js';

/** How long an answer is kept. */
const LIFE_MS = DAY_MS;
/** Milliseconds that a repeat waits for the first request to finish. */
const PATIENCE_MS = 2000;
/** Milliseconds, about, that the database waits for a lock. */
const LOCK_WAIT_MS = 1000;

/** Makes each keyed request happen once: the first is worked on, repeats get its answer. */
@Injectable()
export class Idempotency {
  /** Requests of this process that are being worked on, so that repeats wait without holding a connection each. */
  private readonly working = new Map<string, Promise<unknown>>();

  constructor(
    private readonly store: IdempotencyStore,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * @param id what the key stands for, see `recordId`.
   * @param fingerprint of the parsed body.
   * @param work makes the answer; it runs inside the transaction that stores it, so that a crash leaves neither.
   * @throws {ApiError} idempotency_key_reused, idempotency_key_in_use, and whatever `work` throws, which is not stored.
   */
  async once(id: string, fingerprint: string, work: () => Promise<Answer>): Promise<Answer> {
    const patienceEnds = performance.now() + PATIENCE_MS;
    for (;;) {
      const first = this.working.get(id);
      if (first === undefined) break;
      if (!(await settlesBefore(first, patienceEnds))) throw inUse();
      const known = this.live(await this.store.find(id));
      if (known !== undefined) return replay(known, fingerprint);
    }
    const attempt = this.attempt(id, fingerprint, work, patienceEnds);
    this.working.set(id, attempt);
    try {
      return await attempt;
    } finally {
      this.working.delete(id);
    }
  }

  private async attempt(
    id: string,
    fingerprint: string,
    work: () => Promise<Answer>,
    patienceEnds: number,
  ): Promise<Answer> {
    const stored = await this.store.find(id);
    const known = this.live(stored);
    if (known !== undefined) return replay(known, fingerprint);
    const make = async () => {
      if (!(await this.claim(id, fingerprint, stored !== undefined))) return undefined;
      const answer = await work();
      await this.store.complete(id, answer);
      return answer;
    };
    const made = await this.patiently(() => this.database.transaction(make), patienceEnds);
    if (made !== undefined) return made;
    // Another replica had the key first.
    const winner = this.live(await this.store.find(id));
    if (winner === undefined) throw inUse();
    return replay(winner, fingerprint);
  }

  /** The database waits for a lock for less long than a repeat does, so it is asked again until that time is up. */
  private async patiently<T>(work: () => Promise<T>, patienceEnds: number): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof KeyHeldError)) throw error;
        if (performance.now() + LOCK_WAIT_MS / 2 > patienceEnds) throw inUse();
      }
    }
  }

  private async claim(id: string, fingerprint: string, expired: boolean): Promise<boolean> {
    const now = this.clock.now();
    try {
      if (expired) await this.store.removeExpired(id, now);
      return await this.store.claim(id, fingerprint, now + LIFE_MS);
    } catch (error) {
      if (error instanceof LockWaitError) throw new KeyHeldError();
      throw error;
    }
  }

  private live(stored: StoredAnswer | undefined): StoredAnswer | undefined {
    return stored !== undefined && this.clock.now() < stored.expiresAt ? stored : undefined;
  }
}

/** Another replica's transaction has the key, and has not ended yet. */
class KeyHeldError extends Error {}

function replay({ fingerprint: stored, answer }: StoredAnswer, fingerprint: string): Answer {
  if (stored !== fingerprint) throw new ApiError(coreErrors.idempotencyKeyReused);
  return new Answer(answer.status, answer.bytes, { ...answer.headers, 'Idempotent-Replayed': 'true' });
}

function inUse(): ApiError {
  return new ApiError(coreErrors.idempotencyKeyInUse, undefined, { headers: RETRY_SOON });
}

function settlesBefore(work: Promise<unknown>, end: number): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return inTime(Math.max(0, end - performance.now()), settled);
}
