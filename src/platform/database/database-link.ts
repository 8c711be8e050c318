import { setTimeout as sleep } from 'node:timers/promises';
import { QueryFailedError, TypeORMError } from 'typeorm';
import type { Config } from '../config/index.js';
import { inTime } from '../time.js';
import type { Log } from '../logging/index.js';
import { requireDurableWrites } from './durable-write.js';
import { compareSchema, type TableOwner } from './schema-comparison.js';
import type { DatabaseOutages, DatabasePart } from './database-outages.js';
import type { PlatformDataSource } from './data-source.js';
import { MigrationError, Migrator, type MigrationSource, type MigrationListener } from './migrator.js';

/**
 * Pauses between attempts to reach the database. Milliseconds. Each pause is longer than the one before, with jitter.
 */
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5000;

/** Opens the database: connects, and migrates or checks the schema that this build needs. Retries until `close`. */
export class DatabaseLink {
  readonly migrator: Migrator;
  private readonly stopping = new AbortController();
  private opening: Promise<void> | undefined;
  private asking: Promise<unknown> | undefined;
  private current = false;
  /** The schema differences in the last log line. */
  private reported = '';

  constructor(
    private readonly dataSource: PlatformDataSource,
    private readonly config: Pick<Config, 'migrations'>,
    private readonly observers: { readonly log: Log; readonly outages: DatabaseOutages },
    private readonly sources: readonly (MigrationSource & TableOwner)[],
  ) {
    this.migrator = new Migrator(dataSource, sources, migrationLog(observers.log));
    dataSource.openWhen(() => this.current);
    dataSource.beforeDestroy = () => this.endOpening();
  }

  /** Whether the schema is the one that this build needs, by the last check. */
  get isCurrent(): boolean {
    return this.current;
  }

  /** The outages of the database that were observed. */
  get outages(): DatabaseOutages {
    return this.observers.outages;
  }

  /**
   * Whether the database answers within `timeoutMs`, whatever its schema is. Only one question is open at a time. While
   * a migration has the only connection, or the server hangs, more questions would fill the queue of the pool.
   */
  async answers(timeoutMs: number): Promise<boolean> {
    if (!this.dataSource.isInitialized) return false;
    this.asking ??= this.dataSource.ask('SELECT 1 AS one').finally(() => (this.asking = undefined));
    return inTime(
      timeoutMs,
      this.asking.then(() => true),
    );
  }

  /**
   * Resolves when the database can be used, or when `close` was called.
   *
   * @throws {TypeORMError} (rejects) for an entity or a migration that no database accepts.
   */
  open(): Promise<void> {
    return (this.opening = this.keepTrying(this.stopping.signal));
  }

  private async keepTrying(stopping: AbortSignal): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !hasEnded(stopping); pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const startedAt = performance.now();
      let part: DatabasePart = 'connect';
      try {
        await this.connect();
        this.observers.outages.worked(part);
        part = 'read';
        if (await this.bringSchema(stopping)) return;
      } catch (error) {
        if (hasEnded(stopping)) return;
        // A retry does not repair a faulty entity or migration.
        const fault = error instanceof MigrationError ? error.cause : error;
        if (fault instanceof TypeORMError && !(fault instanceof QueryFailedError)) throw error;
        this.report(part, error, startedAt);
      }
      const options = { ref: false, signal: stopping };
      await sleep(pause * (0.5 + Math.random() / 2), undefined, options).catch(() => undefined);
    }
  }

  async connect(): Promise<void> {
    if (!this.dataSource.isInitialized) await this.dataSource.initialize();
  }

  close(): Promise<void> {
    return this.dataSource.destroy();
  }

  /** A running migration ends first. A migration that is interrupted would have to run again. */
  private async endOpening(): Promise<void> {
    this.stopping.abort();
    await this.opening?.catch(() => undefined);
  }

  private report(part: DatabasePart, error: unknown, startedAt: number): void {
    if (error instanceof MigrationError) {
      const { feature, name } = error.step;
      this.observers.log.error(
        { event: 'migration.failed', feature, migration: name, err: error },
        `${error.message}; trying again`,
      );
    } else {
      this.observers.outages.failed(part, error instanceof QueryFailedError ? error.driverError : error, startedAt);
    }
  }

  private async bringSchema(stopping: AbortSignal): Promise<boolean> {
    if (this.config.migrations === 'run') await this.migrator.run(stopping);
    const steps = this.config.migrations === 'off' ? [] : await this.migrator.pending();
    this.observers.outages.worked('read');
    const pending = steps.map(({ name }) => name);
    if (pending.length > 0) this.warnSchemaBehind(pending);
    else this.current = await this.keepsWhatIsWritten();
    return this.current;
  }

  /**
   * Whether the tables match the entities and a write is durable.
   *
   * @throws {SessionError} (rejects) if a write is not durable.
   */
  private async keepsWhatIsWritten(): Promise<boolean> {
    const differences = await compareSchema(this.dataSource, this.sources);
    if (differences.length > 0) this.reportDifferent(differences);
    else await requireDurableWrites(this.dataSource);
    return differences.length === 0;
  }

  private warnSchemaBehind(pending: readonly string[]): void {
    if (!this.isNews(pending)) return;
    const message = "The database lacks migrations; run 'node dist/main.js migrate'";
    this.observers.log.warn({ event: 'db.behind', pending }, message);
  }

  private reportDifferent(differences: readonly string[]): void {
    if (!this.isNews(differences)) return;
    const message = 'The tables are not as this build needs them; not ready until they are';
    this.observers.log.error({ event: 'db.schema_differs', differences }, message);
  }

  private isNews(schema: readonly string[]): boolean {
    const news = schema.join();
    const isNews = news !== this.reported;
    this.reported = news;
    return isNews;
  }
}

/**
 * Logs the progress of migrations.
 *
 * @param outcome what `done` reports. Default: `applied`.
 */
export function migrationLog(log: Log, outcome: 'applied' | 'undone' = 'applied'): MigrationListener {
  return {
    waiting: () => log.info({ event: 'migration.waiting' }, 'Another process migrates; waiting for it, 60 s at most'),
    unrenewed: (err) =>
      log.warn(
        { event: 'migration.unrenewed', err },
        'The migration lock cannot be renewed; 30 s after it last was, another process may take it over',
      ),
    started: ({ feature, name }) =>
      log.info({ event: 'migration.started', feature, migration: name }, `Migration ${name} started`),
    done: ({ feature, name }) =>
      outcome === 'undone'
        ? log.info({ event: 'migration.undone', feature, migration: name }, `Migration ${name} undone`)
        : log.info({ event: 'migration.applied', feature, migration: name }, `Migration ${name} applied`),
  };
}

/** A function, because TypeScript would narrow the property after the first check, and its value changes later. */
function hasEnded(signal: AbortSignal): boolean {
  return signal.aborted;
}
