import { AsyncLocalStorage } from 'node:async_hooks';
import { isOptimized } from '../optimizations.js';

/**
 * Collects the items of one turn of the event loop, and then works on them one after another. Repeating the same step
 * is cheap, because its code and data stay in the processor's caches. Otherwise the next step of one request and Node's
 * reading of the next one would replace each other's code there. The gain: docs/decisions/0019-request-path.md.
 */
export class TurnQueue<T> {
  private items: T[] = [];
  /** One turn serves many items, so it runs outside the async context of the item that starts it. */
  private readonly outside = AsyncLocalStorage.snapshot();

  constructor(private readonly work: (item: T) => void) {}

  add(item: T): void {
    if (this.items.push(item) > 1) return;
    const workOff = (): void => this.workOff();
    // Both wait until Node has read the packet: the bytes after a request may show that the request is malformed.
    this.outside(() => (isOptimized('turns') ? setImmediate(workOff) : process.nextTick(workOff)));
  }

  /** Works on all items now. Call it when something arrives that must not be done before them. */
  workOff(): void {
    const items = this.items;
    this.items = [];
    let next = 0;
    try {
      while (next < items.length) this.work(items[next++] as T);
    } finally {
      // If one item fails, the next turn works on the others.
      for (const item of items.slice(next)) this.add(item);
    }
  }
}
