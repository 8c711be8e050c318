import { AsyncLocalStorage } from 'node:async_hooks';
import { isOptimized } from '../optimizations.js';

/**
 * Works on all that came in one turn of the event loop, one after another, once the last of it came. To do the same thing
 * again is cheap, since its code and data are in the processor's caches: done in between, the next step of the one and
 * Node's reading of the next request would each have to fetch theirs anew. What it is worth:
 * docs/decisions/0019-request-path.md.
 */
export class TurnQueue<T> {
  private items: T[] = [];
  /** One turn serves many, so it runs outside the context of the one that happens to begin it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly work: (item: T) => void) {}

  add(item: T): void {
    if (this.items.push(item) > 1) return;
    const workOff = (): void => this.workOff();
    // At the latest when its packet is read: what comes behind a request may show that it is none.
    this.outside(() => (isOptimized('turns') ? setImmediate(workOff) : process.nextTick(workOff)));
  }

  /** At once, where something comes that is not to be done before what came earlier. */
  workOff(): void {
    const items = this.items;
    this.items = [];
    let next = 0;
    try {
      while (next < items.length) this.work(items[next++] as T);
    } finally {
      // A fault of one is none of the others'.
      for (const item of items.slice(next)) this.add(item);
    }
  }
}
