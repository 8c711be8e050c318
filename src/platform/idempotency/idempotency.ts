import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { databaseFailure, isLocked, isOutcomeUnknown } from '../database/index.js';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { Answer } from '../http/index.js';
import { inTime } from '../time.js';
import { IdempotencyStore, type StoredAnswer } from './idempotency.store.js';

/** Milliseconds that a repeat waits for the first request to finish. */
const PATIENCE_MS = 2000;
/** Milliseconds, about, that the database waits for a lock. */
const LOCK_WAIT_MS = 1000;

/** What a key stands for from now on. */
interface Outcome {
  readonly stored: StoredAnswer;
  /** Whether this attempt made it, rather than found it. */
  readonly isNew: boolean;
}

/** Makes each keyed request happen once: the first is worked on, repeats get its answer. */
@Injectable()
export class Idempotency {
  /** Keys that this process works on. Repeats take the outcome from here: many at once need one connection, not many. */
  private readonly working = new Map<string, Promise<Outcome>>();

  constructor(
    private readonly store: IdempotencyStore,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * @param id what the key stands for, see `recordId`.
   * @param fingerprint of the parsed body.
   * @param work makes the answer; it runs inside the transaction that stores it, so that a crash leaves neither.
   * @throws {ApiError} idempotency_key_reused, idempotency_key_in_use, and whatever `work` throws, which is not stored.
   */
  async once(id: string, fingerprint: string, work: () => Promise<Answer>): Promise<Answer> {
    const patienceEnds = performance.now() + PATIENCE_MS;
    for (let first = this.working.get(id); first !== undefined; first = this.working.get(id)) {
      const outcome = await settledBefore(first, patienceEnds);
      if (outcome !== undefined) return replay(outcome.stored, fingerprint);
    }
    const attempt = this.attempt(id, fingerprint, work, patienceEnds);
    this.working.set(id, attempt);
    try {
      const { stored, isNew } = await attempt;
      return isNew ? stored.answer : replay(stored, fingerprint);
    } finally {
      this.working.delete(id);
    }
  }

  private async attempt(
    id: string,
    fingerprint: string,
    work: () => Promise<Answer>,
    patienceEnds: number,
  ): Promise<Outcome> {
    const known = await this.store.find(id);
    if (known !== undefined && known !== 'expired') return { stored: known, isNew: false };
    const make = async () => {
      if (!(await this.claim(id, fingerprint, known === 'expired'))) return undefined;
      const answer = await work();
      await this.store.complete(id, answer);
      return answer;
    };
    const answer = await this.patiently(id, () => this.dataSource.transaction(make), patienceEnds);
    if (answer !== undefined) return { stored: { fingerprint, answer }, isNew: true };
    // Another replica had the key first.
    const winner = await this.store.find(id);
    if (winner === undefined || winner === 'expired') throw inUse();
    return { stored: winner, isNew: false };
  }

  /**
   * The database waits for a lock for less long than a repeat does, so it is asked again until that time is up; but only
   * where the key's own holder has the lock, not a backup or whoever else locks the table.
   */
  private async patiently<T>(id: string, work: () => Promise<T>, patienceEnds: number): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ClaimLockedError)) throw error;
        if (!(await this.store.isHeld(id))) throw error.cause;
        if (performance.now() + LOCK_WAIT_MS / 2 > patienceEnds) throw inUse();
      }
    }
  }

  private async claim(id: string, fingerprint: string, expired: boolean): Promise<boolean> {
    try {
      if (expired) await this.store.removeExpired(id);
      return await this.store.claim(id, fingerprint);
    } catch (error) {
      if (isLocked(error)) throw new ClaimLockedError(error);
      throw error;
    }
  }
}

/** A lock kept the key from being taken. Unlike one that the handler meets, it may be that of the same key's holder. */
class ClaimLockedError extends Error {
  constructor(cause: unknown) {
    super('A lock kept an idempotency key from being taken', { cause });
  }
}

function replay({ fingerprint: stored, answer }: StoredAnswer, fingerprint: string): Answer {
  if (stored !== fingerprint) throw new ApiError(coreErrors.idempotencyKeyReused);
  return new Answer(answer.status, answer.bytes, { ...answer.headers, 'Idempotent-Replayed': 'true' });
}

function inUse(): ApiError {
  return new ApiError(coreErrors.idempotencyKeyInUse, undefined, { headers: RETRY_SOON });
}

/**
 * The outcome; undefined where the attempt failed and the next may try.
 *
 * @throws {ApiError} idempotency_key_in_use at `end`; service_unavailable where the attempt failed with it, so that those
 *   who wait do not wait for the same database in turn, and get no 409 for a key that is not in use.
 */
async function settledBefore(attempt: Promise<Outcome>, end: number): Promise<Outcome | undefined> {
  const settled = attempt.then(
    () => true,
    () => true,
  );
  if (!(await inTime(Math.max(0, end - performance.now()), settled))) throw inUse();
  return attempt.catch((error: unknown) => {
    const failure = error instanceof ApiError ? error : databaseFailure(error);
    if (failure?.kind === coreErrors.serviceUnavailable && !isOutcomeUnknown(error)) throw error;
    return undefined;
  });
}
