import type { INestApplication } from '@nestjs/common';
import type { DatabaseLink } from '../database/index.js';
import { databaseAnswers, Health, Liveness, ManagementServer } from '../health/index.js';
import { attributeToFeature, type HookWatch } from '../feature-check/index.js';
import type { Feature } from '../feature.js';
import { ExchangeObserver, type HttpAdapter } from '../http/index.js';
import { IdempotencyPurge } from '../idempotency/index.js';
import { inTime } from '../time.js';
import { Overload } from '../limits/index.js';
import { flushLog, type Log } from '../logging/index.js';
import type { CoreProviders } from '../platform.module.js';
import { PublicUrls } from '../routing/index.js';
import { startTracing, type Tracing } from '../tracing/index.js';
import { version } from '../version.js';
import { drain, listen, type StopTimes } from './traffic.js';

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
   * Listens, and begins to bring the database up. Probes say when it is ready; `ready` waits for it.
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

interface Parts extends CoreProviders {
  readonly features: readonly Feature[];
  readonly hooks: HookWatch;
  readonly restoreEnvironment: () => void;
}

/** Milliseconds that hooks and the database have to end at least; the grace period of a pod is longer. */
const CLOSE_MS = 3000;

/** The application as this process runs it. */
export class Running implements Application {
  url = '';
  managementUrl = '';
  private readonly health: Health;
  private readonly liveness: Liveness;
  private readonly management: ManagementServer;
  private opening: Promise<void> | undefined;
  /** Whether the features have started. */
  private isUp = false;
  private tracing: Tracing | undefined;
  private stopping: Promise<boolean> | undefined;

  constructor(
    readonly nest: INestApplication,
    private readonly adapter: HttpAdapter,
    private readonly link: DatabaseLink,
    private readonly parts: Parts,
  ) {
    const { config, dataSource, metrics, log } = parts;
    this.health = nest.get(Health);
    this.health.contribute('schema', () => link.isCurrent);
    if (config.management.readinessChecksDatabase)
      this.health.contribute('database', databaseAnswers(dataSource, link));
    this.liveness = new Liveness(config.management.livenessMaxStallMs);
    const exposed = config.metrics.enabled ? metrics : undefined;
    const sources = { health: this.health, liveness: this.liveness, metrics: exposed };
    this.management = new ManagementServer(config.http, sources, log);
  }

  get log(): Log {
    return this.parts.log;
  }

  async start(): Promise<void> {
    const { config, log } = this.parts;
    log.info({ event: 'app.starting' }, 'Starting');
    const publicUrl = (): string => this.nest.get(PublicUrls).base;
    this.tracing = await startTracing({ otel: config.otel, log, version, publicUrl });
    const { host } = config.http;
    const managementPort = await listen('MANAGEMENT_PORT', this.management.server, host, config.management.port);
    const port = await listen('PORT', this.adapter.server, host, config.http.port);
    this.nest.get(PublicUrls).listeningOn(port);
    this.url = `http://${reachable(host)}:${port}`;
    this.managementUrl = `http://${reachable(host)}:${managementPort}`;
    this.nest.get(Overload).start();
    void this.health.start();
    this.opening = this.bringUp();
  }

  async ready(): Promise<void> {
    await this.opening;
  }

  stop(times: StopTimes = { ...this.parts.config.shutdown, closeMs: CLOSE_MS }): Promise<boolean> {
    return (this.stopping ??= this.shutDown(times).finally(() => this.parts.restoreEnvironment()));
  }

  private async shutDown(times: StopTimes): Promise<boolean> {
    const { log } = this.parts;
    const end = performance.now() + times.delayMs + times.timeoutMs;
    log.info({ event: 'app.draining' }, 'Draining');
    this.health.drain();
    const answered = await drain(this.adapter.server, this.nest.get(ExchangeObserver), times, log);
    const closed = await this.close(Math.max(end - performance.now(), times.closeMs));
    await this.management.close();
    this.liveness.stop();
    log.info({ event: 'app.stopped' }, 'Stopped');
    await flushLog(log);
    return answered && closed;
  }

  /** The features' hooks, then the database, then what exports traces. False when they did not end in time. */
  private async close(withinMs: number): Promise<boolean> {
    const { log, hooks } = this.parts;
    try {
      const whole = await inTime(withinMs, this.closeInOrder());
      if (!whole)
        log.error({ event: 'app.cut_off', hooks: hooks.atWork() }, 'The shutdown timeout cut off what closes');
      return whole;
    } catch (error) {
      log.error({ event: 'app.cut_off', err: error }, 'Something failed to close');
      return false;
    }
  }

  private async closeInOrder(): Promise<true> {
    const closing = this.nest.close();
    // A shutdown hook may fail where its feature has not started.
    await (this.isUp ? closing : closing.catch(() => undefined));
    await this.link.close();
    await this.tracing?.stop();
    return true;
  }

  private async bringUp(): Promise<void> {
    const { features, config, hooks } = this.parts;
    await attributeToFeature(features, this.link.open());
    if (this.stopping === undefined) {
      hooks.begin(() => this.adapter.countHandlers());
      await attributeToFeature(features, hooks.within(config.startup.timeoutMs, this.nest.init()));
      this.isUp = true;
      this.adapter.open();
      this.health.accept();
    }
    if (this.stopping === undefined) await this.health.checkAll();
    // If it stops before it was up, it is never ready.
    if (this.stopping !== undefined) return new Promise(() => undefined);
    this.nest.get(IdempotencyPurge).start();
    const { url, managementUrl } = this;
    this.parts.log.info({ event: 'app.ready', url, management_url: managementUrl }, `Ready at ${url}`);
  }
}

/** 0.0.0.0 and :: are where to listen, not where to go. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
