import { setTimeout as sleep } from 'node:timers/promises';
import { HttpClient } from './http.js';
import { leftovers } from './leftovers.js';

const PERIOD_MS = 50;

/** Polls the probes of a service as an orchestrator does, until `stop`. */
export class Probes {
  readonly #client: HttpClient;
  readonly #watching: Promise<void>;
  #stopped = false;
  #ready: boolean | undefined;
  /** The status of every answer of /livez that was not 200; 0 if no answer came. */
  readonly deaths: number[] = [];
  /** The slowest answer of /livez so far, in milliseconds. */
  slowestLivez = 0;

  constructor(managementUrl: string) {
    this.#client = new HttpClient(managementUrl);
    this.#watching = this.#watch();
    leftovers.add(() => this.stop());
  }

  /**
   * Resolves once /readyz reports `ready`, with the milliseconds that it took. Rejects after `limitMs` milliseconds.
   */
  async until(ready: boolean, limitMs: number): Promise<number> {
    const from = performance.now();
    while (this.#ready !== ready) {
      if (performance.now() - from > limitMs)
        throw new Error(`/readyz was ${String(!ready)} for ${String(limitMs)} ms`);
      await sleep(PERIOD_MS / 2);
    }
    return performance.now() - from;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      const from = performance.now();
      const alive = await this.#status('/livez');
      this.slowestLivez = Math.max(this.slowestLivez, performance.now() - from);
      if (alive !== 200) this.deaths.push(alive);
      this.#ready = (await this.#status('/readyz')) === 200;
      await sleep(PERIOD_MS);
    }
  }

  async #status(path: string): Promise<number> {
    return this.#client.get(path).then(
      ({ status }) => status,
      () => 0,
    );
  }
}
