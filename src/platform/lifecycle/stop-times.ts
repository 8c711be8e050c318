/** How long the steps of a stop may take. */
export interface StopTimes {
  /** Milliseconds to go on serving, so that balancers see that this replica is not ready any more. */
  readonly delayMs: number;
  /** Milliseconds that requests have to finish after that. */
  readonly timeoutMs: number;
  /** Milliseconds that hooks and the database have at least, however long requests took. */
  readonly closeMs: number;
}
