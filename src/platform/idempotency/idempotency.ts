import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { databaseFailure, isLocked, isOutcomeUnknown } from '../database/index.js';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { Answer } from '../http/index.js';
import { inTime } from '../time.js';
import { IdempotencyStore, type StoredAnswer } from './idempotency.store.js';

/** How long a repeated request waits for the first one to finish. Milliseconds. */
const PATIENCE_MS = 2000;
/** Approximately how long the database waits for a lock. Milliseconds. */
const LOCK_WAIT_MS = 1000;

/** The answer that a key stands for. */
interface Outcome {
  readonly stored: StoredAnswer;
  /** Whether this attempt created the answer. Otherwise it found the answer in the store. */
  readonly isNew: boolean;
}

/** Executes each request with a key once. A repeated request gets the answer of the first one. */
@Injectable()
export class Idempotency {
  /**
   * The keys that this process works on. Repeated requests wait here for the outcome, so they do not take a connection
   * each.
   */
  private readonly working = new Map<string, Promise<Outcome>>();

  constructor(
    private readonly store: IdempotencyStore,
    private readonly dataSource: DataSource,
  ) {}

  /**
   * @param id the id of the record, see `recordId`.
   * @param fingerprint the hash of what the request asks for.
   * @param work creates the answer. It runs inside the transaction that stores the answer, so a crash leaves neither.
   * @throws {ApiError} idempotency_key_reused, idempotency_key_in_use, and every error of `work`, which is not stored.
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
    // Another replica claimed the key first.
    const winner = await this.store.find(id);
    if (winner === undefined || winner === 'expired') throw inUse();
    return { stored: winner, isNew: false };
  }

  /**
   * Retries until `patienceEnds`, because the database waits for a lock for a shorter time than a repeated request may
   * wait. It retries only if the lock belongs to the holder of the same key, and not to a backup or another program.
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

/**
 * A lock prevented the claim of a key. The holder of the same key may have this lock. A lock error in the handler is
 * different.
 */
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
 * Returns the outcome of an attempt, or undefined if it failed and the next request may try.
 *
 * @throws {ApiError} idempotency_key_in_use at `end`; service_unavailable if the attempt failed with it. Then the
 * waiting requests do not wait for the same database one after the other, and get no 409 for a key that is not in use.
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
