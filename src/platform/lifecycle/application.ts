import type { INestApplication } from '@nestjs/common';
import type { Log } from '../logging/index.js';
import type { StopTimes } from './stop-times.js';

/** An application that can be started and stopped. */
export interface Application {
  /** Where the API listens, e.g. `http://127.0.0.1:3000`; known once started. */
  readonly url: string;
  /** Where probes and metrics are; known once started. */
  readonly managementUrl: string;
  /** Nest's own application, e.g. to get a provider from. */
  readonly nest: INestApplication;
  readonly log: Log;

  /**
   * Listens, and begins to bring the database up. Probes tell when it is ready; `ready` waits for it.
   *
   * @throws {ListenError} where a port or an address may not be had.
   */
  start(): Promise<void>;

  /**
   * Resolves once the first check found everything in order; before `start` at once, and never after `stop`.
   *
   * @throws {TypeORMError} (rejects) for an entity or a migration that no database could take, which may come as the cause
   *   of a {MigrationError}.
   */
  ready(): Promise<void>;

  /**
   * Stops without losing a request: not ready any more, `Connection: close` on what is answered, then no new
   * connections, then the features' shutdown hooks, the database last. Asked again, it is the same stop.
   *
   * @param times those of the configuration where they are left out.
   * @returns false when requests, hooks or the database did not end in time.
   */
  stop(times?: StopTimes): Promise<boolean>;
}
