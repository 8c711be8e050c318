import type { INestApplication } from '@nestjs/common';
import type { Config } from '../config/index.js';
import type { Database, DatabaseLink } from '../database/index.js';
import { databaseAnswers, Health, Liveness, ManagementServer } from '../health/index.js';
import type { HttpAdapter } from '../http/index.js';
import { IdempotencyPurge } from '../idempotency/index.js';
import { flushLog, type Log } from '../logging/index.js';
import type { Metrics } from '../metrics/index.js';
import { PublicUrls } from '../routing/index.js';
import { startTracing, type Tracing } from '../tracing/index.js';
import { version } from '../version.js';
import type { Application } from './application.js';
import { drain } from './drain.js';
import { ExchangeObserver } from './exchange-observer.js';
import { listen } from './listen.js';

interface Parts {
  readonly config: Config;
  readonly log: Log;
  readonly database: Database;
  readonly metrics: Metrics;
}

/** The application as this process runs it. */
export class Running implements Application {
  url = '';
  managementUrl = '';
  private readonly health: Health;
  private readonly liveness: Liveness;
  private readonly management: ManagementServer;
  private opening: Promise<void> | undefined;
  private tracing: Tracing | undefined;

  constructor(
    readonly nest: INestApplication,
    private readonly adapter: HttpAdapter,
    private readonly link: DatabaseLink,
    private readonly parts: Parts,
  ) {
    const { config, database, metrics } = parts;
    this.health = nest.get(Health);
    this.health.contribute('schema', () => link.isCurrent);
    if (config.management.readinessChecksDatabase) this.health.contribute('database', databaseAnswers(database));
    this.liveness = new Liveness(config.management.livenessMaxStallMs);
    this.management = new ManagementServer(this.health, this.liveness, config.metrics.enabled ? metrics : undefined);
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
    this.opening = this.bringUp();
  }

  async ready(): Promise<void> {
    await this.opening;
  }

  async stop(): Promise<boolean> {
    const { config, log } = this.parts;
    log.info({ event: 'app.draining' }, 'Draining');
    this.health.drain();
    const observer = this.nest.get(ExchangeObserver);
    const whole = await drain(this.adapter.server, observer, config.shutdown, log);
    await this.nest.close();
    await this.link.close();
    await this.tracing?.stop();
    await this.management.close();
    this.liveness.stop();
    log.info({ event: 'app.stopped' }, 'Stopped');
    await flushLog(log);
    return whole;
  }

  private async bringUp(): Promise<void> {
    await this.link.open();
    await this.health.start();
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
