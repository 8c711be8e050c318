import { AsyncLocalStorage } from 'node:async_hooks';
import { inTraces, tracePlace, type TracePlace } from '../tracing/index.js';
import type { Transactions } from './gather.js';

/** One read, and who waits for it. */
interface Turn<R> extends PromiseWithResolvers<R> {
  readonly asked: { readonly place: TracePlace | undefined }[];
}

interface Reading<R> {
  /** The read that waits for the running one to end. */
  next: Turn<R> | undefined;
}

/**
 * One read for all who want the same: those who ask while it runs share the next, which begins after all of them asked.
 * So every answer is as fresh as its own read would have been, an acknowledged write is always seen, and a page costs
 * the database one query at a time however many ask for it.
 */
export class SharedRead<R> {
  private readonly readings = new Map<string, Reading<R>>();
  /** A read serves many requests, so it runs outside the context of the one that happens to start it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  /** @param transactions tells whether the caller is in one: then it reads alone, as part of it. */
  constructor(private readonly transactions: Transactions) {}

  /**
   * @param key what is read: equal keys share.
   * @param read does it; it must depend on nothing but the key.
   */
  of(key: string, read: () => Promise<R>): Promise<R> {
    if (this.transactions.inTransaction) return read();
    const reading = this.readings.get(key);
    const turn = reading === undefined ? turnOf<R>() : (reading.next ??= turnOf<R>());
    turn.asked.push({ place: tracePlace() });
    if (reading === undefined) this.outside(() => void this.run(key, read, turn));
    return turn.promise;
  }

  private async run(key: string, read: () => Promise<R>, first: Turn<R>): Promise<void> {
    const reading: Reading<R> = { next: undefined };
    this.readings.set(key, reading);
    let current: Turn<R> | undefined = first;
    while (current !== undefined) {
      const { resolve, reject, asked }: Turn<R> = current;
      // Those who wait share a failure too: behind a hung database nobody waits for two deadlines.
      await inTraces(asked, read).then(resolve, (error: unknown) => {
        reject(error);
        reading.next?.reject(error);
        reading.next = undefined;
      });
      current = reading.next;
      reading.next = undefined;
    }
    this.readings.delete(key);
  }
}

function turnOf<R>(): Turn<R> {
  return { ...Promise.withResolvers<R>(), asked: [] };
}
