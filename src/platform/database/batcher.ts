import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { isOptimized } from '../optimizations.js';
import { inTraces, tracePlace, type TracePlace } from '../tracing/index.js';
import { isOutage, isUnavailable } from './database-failure.js';
import type { PlatformDataSource } from './data-source.js';

type Transactions = Pick<PlatformDataSource, 'inTransaction'>;

interface Waiting<I, R> {
  readonly item: I;
  readonly key: unknown;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
  readonly place: TracePlace | undefined;
}

/** Callers that wait for the same item, at least one. All of them get its result. */
type Sharing<I, R> = readonly Waiting<I, R>[];

export interface BatcherOptions {
  /** Limit of different items in one batch, 1 to 64. Default: 64. */
  readonly most?: number;
  /**
   * Whether equal items are passed to `work` once and share the result. Use it for reads only. Items must be plain
   * data: primitives, and objects, arrays, dates, maps and sets of them. Default: false.
   */
  readonly shareEqual?: boolean;
}

/**
 * Limit of callers in one batch, equal items included. One batch settles all of them in one turn of the event loop, and
 * other requests wait meanwhile.
 */
const MOST_ITEMS = 64;

/**
 * Limit of waiting callers. Load shedding allows fewer requests in progress, so this limit matters only without
 * shedding.
 */
const MAX_WAITING = 1000;

/**
 * Combines items into batches. The items that the running code adds are one batch. Items that arrive while it runs are
 * the next batch, which begins after all of them arrived. So each result is as fresh as the result of a separate
 * statement, and the database has one statement at a time, however many callers there are. `npm run bench` shows the
 * gain.
 */
export class Batcher<I, R> {
  private waiting: Waiting<I, R>[] = [];
  private running = false;
  private readonly most: number;
  private readonly keyOf: (item: unknown) => unknown;
  /** A batch serves many requests, so it runs outside the async context of the request that starts it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  /**
   * @param transactions says whether the caller is in a transaction. Then its item runs alone, as part of the
   * transaction.
   * @param work returns one result for each item, in the same order.
   * @throws {RangeError} if `most` is not from 1 to 64.
   */
  constructor(
    private readonly transactions: Transactions,
    private readonly work: (items: readonly I[]) => Promise<readonly R[]>,
    { most = MOST_ITEMS, shareEqual = false }: BatcherOptions = {},
  ) {
    if (!(most >= 1 && most <= MOST_ITEMS)) throw new RangeError(`A batch has 1 to ${MOST_ITEMS} different items`);
    this.most = most;
    this.keyOf = shareEqual ? wholeKey : itself;
  }

  /**
   * @throws {ApiError} (rejects) service_unavailable if too many callers wait. Otherwise it rejects with the error of
   * `work`.
   * @throws {TypeError} (rejects) with `shareEqual`, for an item that is not plain data.
   */
  add(item: I): Promise<R> {
    if (!isOptimized('batching') || this.transactions.inTransaction)
      return this.work([item]).then(([result]) => result as R);
    if (this.waiting.length >= MAX_WAITING) return Promise.reject(notAsked());
    return new Promise<R>((resolve, reject) => {
      this.waiting.push({ item, key: this.keyOf(item), resolve, reject, place: tracePlace() });
      if (!this.running) this.begin();
    });
  }

  /** Begins after the running code, so that the items of many requests in one turn are one batch. */
  private begin(): void {
    this.running = true;
    this.outside(() => queueMicrotask(() => void this.run()));
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      if (await this.settle(this.takeBatch())) continue;
      // Waiting callers fail too: if the database hangs, nobody should wait for two deadlines.
      refuse(this.waiting);
      this.waiting = [];
    }
    this.running = false;
  }

  /** Takes the callers that have waited longest, and groups them by key. */
  private takeBatch(): Sharing<I, R>[] {
    const keys = new Set<unknown>();
    const end = this.waiting.findIndex(({ key }, index) => index === MOST_ITEMS || keys.add(key).size > this.most);
    const batch = this.waiting.splice(0, end < 0 ? this.waiting.length : end);
    return [...Map.groupBy(batch, ({ key }) => key).values()];
  }

  /** @returns false if the database has an outage, so that no further batch should run. */
  private async settle(batch: readonly Sharing<I, R>[]): Promise<boolean> {
    try {
      const items = batch.map(([first]) => (first as Waiting<I, R>).item);
      const results = await inTraces(
        () => batch.flat().map(({ place }) => place),
        () => this.work(items),
      );
      batch.forEach((sharing, index) => sharing.forEach(({ resolve }) => resolve(results[index] as R)));
      return true;
    } catch (error) {
      if (!isUnavailable(error) && batch.length > 1) return this.settleEach(batch);
      for (const { reject } of batch.flat()) reject(error);
      return !isOutage(error);
    }
  }

  /** If a batch is refused, each item runs alone, so that one faulty item does not affect the others. */
  private async settleEach(batch: readonly Sharing<I, R>[]): Promise<boolean> {
    for (const [index, single] of batch.entries()) {
      if (await this.settle([single])) continue;
      refuse(batch.slice(index + 1).flat());
      return false;
    }
    return true;
  }
}

const itself = (item: unknown): unknown => item;

/**
 * The whole content of an item as a key, so that a field that is added later is part of it.
 *
 * @throws {TypeError} for an item that is not plain data.
 */
function wholeKey(item: unknown): unknown {
  if (typeof item === 'string') return `'${item}`;
  return typeof item === 'number' || typeof item === 'bigint' ? item : JSON.stringify(item, withoutLoss);
}

/** Prefix of values that JSON cannot represent, or would represent like another value. */
const MARK = '\0';

/** A replacer for `JSON.stringify`. It reads the value from its holder, because JSON passes a date as text. */
function withoutLoss(this: Readonly<Record<string, unknown>>, name: string): unknown {
  const value = this[name];
  switch (typeof value) {
    case 'boolean':
      return value;
    case 'string':
      return value.startsWith(MARK) ? `${MARK}string ${value}` : value;
    case 'number':
      if (Object.is(value, -0)) return `${MARK}-0`;
      return Number.isFinite(value) ? value : `${MARK}${value}`;
    case 'object':
      return value === null ? null : objectWithoutLoss(value);
    case 'bigint':
    case 'undefined':
      return `${MARK}${typeof value} ${value}`;
    default:
      throw notPlain();
  }
}

function objectWithoutLoss(value: object): unknown {
  switch (Object.getPrototypeOf(value)) {
    case Object.prototype:
    case Array.prototype:
    case null:
      return value;
    case Date.prototype:
      return `${MARK}date ${(value as Date).getTime()}`;
    case Map.prototype:
      return `${MARK}map ${JSON.stringify([...(value as Map<unknown, unknown>)], withoutLoss)}`;
    case Set.prototype:
      return `${MARK}set ${JSON.stringify([...(value as Set<unknown>)], withoutLoss)}`;
    default:
      throw notPlain();
  }
}

function notPlain(): TypeError {
  return new TypeError('A batched item is made of plain data');
}

/**
 * Creates a function that combines items into batches: see `Batcher`.
 *
 * @param dataSource the injected one. Inside a transaction an item runs alone, as part of the transaction.
 * @param work returns one result for each item, in the same order.
 * @throws {RangeError} if `most` is not from 1 to 64.
 */
export function createBatcher<I, R>(
  dataSource: DataSource,
  work: (items: readonly I[]) => Promise<readonly R[]>,
  options: BatcherOptions = {},
): (item: I) => Promise<R> {
  const batcher = new Batcher(dataSource as PlatformDataSource, work, options);
  return (item) => batcher.add(item);
}

/** Rejects callers whose statements were never sent. So their outcome is known: nothing was executed. */
function refuse(waiting: readonly Pick<Waiting<never, never>, 'reject'>[]): void {
  for (const { reject } of waiting) reject(notAsked());
}

function notAsked(): ApiError {
  return new ApiError(coreErrors.serviceUnavailable, undefined, { headers: RETRY_SOON, cause: 'DATABASE_NOT_ASKED' });
}
