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
  /** The address of the API, e.g. `http://127.0.0.1:3000`; empty before `start` has resolved. */
  readonly url: string;
  /** The address of the probes and metrics; empty before `start` has resolved. */
  readonly managementUrl: string;
  /** Nest's own application, e.g. to get a provider. */
  readonly nest: INestApplication;
  readonly log: Log;

  /**
   * Listens, and begins to bring up the database and the features. The probes tell when the service is ready.
   *
   * @throws {ListenError} (rejects) for a port or an address that the process cannot listen on.
   */
  start(): Promise<void>;

  /**
   * Resolves when the features have started and each health check has run after that, whatever its result. Before
   * `start` it resolves at once. It never resolves if `stop` comes first.
   *
   * @throws {TypeORMError} (rejects) for an entity or a migration that no database could accept. It may be the cause of
   * a {MigrationError}.
   * @throws {FeatureStartError} (rejects) for a feature that fails to start, or does not start in time.
   */
  ready(): Promise<void>;

  /**
   * Stops without losing a request. The steps: the service is not ready, answers get `Connection: close`, no new
   * connections are accepted, the features' shutdown hooks run, and the database closes last. A further call returns
   * the result of the same stop.
   *
   * @param times Default: those of the configuration.
   * @returns false if requests, hooks or the database did not end in time.
   */
  stop(times?: StopTimes): Promise<boolean>;
}

interface Parts extends CoreProviders {
  readonly features: readonly Feature[];
  readonly hooks: HookWatch;
  readonly restoreEnvironment: () => void;
}

/** Milliseconds that hooks and the database have at least to close. The grace period of a pod is longer. */
const CLOSE_MS = 3000;

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

  /**
   * Runs the features' hooks, then closes the database, then what exports traces. Returns false if one failed or they
   * did not end in time.
   */
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
    // A shutdown hook may fail if its feature has not started. That failure is ignored.
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
    // If the stop came before the start was complete, `ready` never resolves.
    if (this.stopping !== undefined) return new Promise(() => undefined);
    this.nest.get(IdempotencyPurge).start();
    const { url, managementUrl } = this;
    this.parts.log.info({ event: 'app.ready', url, management_url: managementUrl }, `Ready at ${url}`);
  }
}

/** 0.0.0.0 and :: are addresses to listen on, not to connect to. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
