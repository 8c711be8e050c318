/** Something of which there is work to do, or not. */
interface Work {
  isWorkedOn: boolean;
}

/**
 * How much this process works on now. A request whose body is still arriving, or whose answer its client has yet to take,
 * is no part of it: were it one, slow clients could make the service refuse the others.
 */
export class Workload {
  private amount = 0;

  get size(): number {
    return this.amount;
  }

  /** Adds a request that the process works on now, or again. */
  take(work: Work): void {
    if (!work.isWorkedOn) this.amount += 1;
    work.isWorkedOn = true;
  }

  /** There is nothing to do for this, for now or for good. */
  rest(work: Work): void {
    if (work.isWorkedOn) this.amount -= 1;
    work.isWorkedOn = false;
  }
}
