/** Milliseconds between two beats. */
const BEAT_MS = 500;

/** Whether the event loop turns. It touches nothing else: a fault that all replicas share must not restart them all. */
export class Liveness {
  private lastBeat = performance.now();
  private readonly timer: NodeJS.Timeout;

  /** @param maxStallMs LIVENESS_MAX_STALL_MS: how long the loop may stand still. */
  constructor(private readonly maxStallMs: number) {
    this.timer = setInterval(() => (this.lastBeat = performance.now()), BEAT_MS).unref();
  }

  get isAlive(): boolean {
    return performance.now() - this.lastBeat < this.maxStallMs;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
