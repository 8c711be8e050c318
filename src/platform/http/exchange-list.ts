import { Node, Yallist } from 'yallist';
import type { Exchange } from './exchange.js';

/** Exchanges in the order in which they were added. Why it is no Map: docs/decisions/0019-request-path.md. */
export class ExchangeList {
  private readonly list = new Yallist<Exchange>();

  /** @param place the field in which an exchange stores its node of this list. */
  constructor(private readonly place: 'placeAmongActive' | 'placeAmongAwaited') {}

  get size(): number {
    return this.list.length;
  }

  get first(): Exchange | undefined {
    return this.list.head?.value;
  }

  /** Adds an exchange at the end. Moves it there if the list already has it. */
  add(exchange: Exchange): void {
    this.remove(exchange);
    const node = new Node(exchange);
    this.list.pushNode(node);
    exchange[this.place] = node;
  }

  /** Does nothing if the exchange is not in the list. */
  remove(exchange: Exchange): void {
    const node = exchange[this.place];
    if (node === undefined) return;
    this.list.removeNode(node);
    exchange[this.place] = undefined;
  }

  [Symbol.iterator](): Iterator<Exchange> {
    return this.list[Symbol.iterator]();
  }
}
