import { Node, Yallist } from 'yallist';
import type { Exchange } from './exchange.js';

/**
 * Exchanges in the order in which they came, each of which leaves at some time. Why it is no Map:
 * docs/decisions/0019-request-path.md.
 */
export class ExchangeList {
  private readonly list = new Yallist<Exchange>();

  /** @param place where an exchange keeps its place in this list. */
  constructor(private readonly place: 'placeAmongActive' | 'placeAmongAwaited') {}

  get size(): number {
    return this.list.length;
  }

  get first(): Exchange | undefined {
    return this.list.head?.value;
  }

  /** Puts it at the end, also where it is in the list already. */
  add(exchange: Exchange): void {
    this.remove(exchange);
    const node = new Node(exchange);
    this.list.pushNode(node);
    exchange[this.place] = node;
  }

  /** Does nothing where it is not in the list. */
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
