/**
 * What this process works on now. A request whose body is still arriving, or whose answer its client has yet to take, is
 * no part of it: were it one, slow clients could make the service refuse the others.
 */
export class Workload {
  private readonly working = new Set<object>();

  get size(): number {
    return this.working.size;
  }

  /** From now on, or again, there is something to do for this exchange. */
  take(exchange: object): void {
    this.working.add(exchange);
  }

  /** There is nothing to do for this exchange, for now or for good. */
  rest(exchange: object): void {
    this.working.delete(exchange);
  }
}
