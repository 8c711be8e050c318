import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';
import { ApiError, coreErrors, RETRY_SOON } from '../errors/index.js';
import { isOptimized } from '../optimizations.js';
import { inTraces, tracePlace, type TracePlace } from '../tracing/index.js';
import { isOutage, isUnavailable } from './database-failure.js';
import type { PlatformDataSource } from './data-source.js';

/** Whether the running code is in a transaction. */
type Transactions = Pick<PlatformDataSource, 'inTransaction'>;

interface Waiting<I, R> {
  readonly item: I;
  readonly key: unknown;
  readonly resolve: (result: R) => void;
  readonly reject: (error: unknown) => void;
  readonly place: TracePlace | undefined;
}

/** Callers that wait for the same item, at least one; all of them get its result. */
type Sharing<I, R> = readonly Waiting<I, R>[];

export interface BatcherOptions {
  /** Different items of one batch, 1 to 64; 64 unless given. */
  readonly most?: number;
  /**
   * Whether items that are equal in all that they hold are one to `work`, and share what becomes of it: for reads only. They
   * are of plain data: primitives, and objects, arrays, dates, maps and sets of them.
   */
  readonly shareEqual?: boolean;
}

/** Items of one batch, with those of the same key: all of them are answered in one go, which others wait for. */
const MOST_ITEMS = 64;

/** Items that may wait: more than shedding lets in flight, so the bound matters only where shedding is off. */
const MAX_WAITING = 1000;

/**
 * Works on items together: those that the running code asks for make up one batch, those that arrive while it runs the
 * next, which begins after all of them arrived. So each result is as fresh as its own statement's would be, and the
 * database has one statement at a time to answer, however many ask. `npm run bench` shows what it is worth.
 */
export class Batcher<I, R> {
  private waiting: Waiting<I, R>[] = [];
  private running = false;
  private readonly most: number;
  private readonly keyOf: (item: unknown) => unknown;
  /** A batch serves many requests, so it runs outside the context of the one that happens to start it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  /**
   * @param transactions says whether the caller is in one: then its item goes alone, as part of it.
   * @param work gives one result per item, in their order.
   * @throws {RangeError} for a `most` out of bounds.
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
   * @throws {ApiError} (rejects) service_unavailable when too many wait; else what `work` rejects with.
   * @throws {TypeError} (rejects) for an item that cannot be compared, where equal ones are to share.
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

  /** Once the code that runs now is done: what it asks for, for many requests of one turn, goes together. */
  private begin(): void {
    this.running = true;
    this.outside(() => queueMicrotask(() => void this.run()));
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      if (await this.settle(this.takeBatch())) continue;
      // Callers that wait fail too: behind a hung database nobody should wait for two deadlines.
      refuse(this.waiting);
      this.waiting = [];
    }
    this.running = false;
  }

  /** Takes who has waited longest, those of the same key together. */
  private takeBatch(): Sharing<I, R>[] {
    const keys = new Set<unknown>();
    const end = this.waiting.findIndex(({ key }, index) => index === MOST_ITEMS || keys.add(key).size > this.most);
    const batch = this.waiting.splice(0, end < 0 ? this.waiting.length : end);
    return [...Map.groupBy(batch, ({ key }) => key).values()];
  }

  /** @returns whether the database can be asked for more. */
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

  /** One bad item must not hurt its neighbours: of a batch that was refused, each item is tried alone. */
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
 * All that an item holds, whatever it is made of: a field that is added later cannot be forgotten.
 *
 * @throws {TypeError} for what may hold more than can be seen.
 */
function wholeKey(item: unknown): unknown {
  if (typeof item === 'string') return `'${item}`;
  return typeof item === 'number' || typeof item === 'bigint' ? item : JSON.stringify(item, withoutLoss);
}

/** Begins what JSON has no word for, or the same as for something else. */
const MARK = '\0';

/** Asks the holder for the value, since JSON made text of a date already. */
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
 * Works on items together, one batch at a time: see `Batcher`.
 *
 * @param dataSource the one that was injected: inside of a transaction an item goes alone, as part of it.
 * @param work gives one result per item, in their order.
 * @throws {RangeError} for a `most` out of bounds.
 */
export function createBatcher<I, R>(
  dataSource: DataSource,
  work: (items: readonly I[]) => Promise<readonly R[]>,
  options: BatcherOptions = {},
): (item: I) => Promise<R> {
  const batcher = new Batcher(dataSource as PlatformDataSource, work, options);
  return (item) => batcher.add(item);
}

/** Their statements were never sent, so their outcome is known: nothing happened. */
function refuse(waiting: readonly Pick<Waiting<never, never>, 'reject'>[]): void {
  for (const { reject } of waiting) reject(notAsked());
}

function notAsked(): ApiError {
  return new ApiError(coreErrors.serviceUnavailable, undefined, { headers: RETRY_SOON, cause: 'DATABASE_NOT_ASKED' });
}
