import { MigrationExecutor, type Migration as Entry, type MigrationInterface } from 'typeorm';
import type { Feature } from '../feature.js';
import { messageOf, stackOf } from '../logging/index.js';
import { MIGRATION_TABLE } from './statement-log.js';
import { codeOf, isMissingTable } from './database-failure.js';
import { MigrationLock, type LockListener } from './migration-lock.js';
import type { PlatformDataSource } from './data-source.js';

/** Whose migrations these are, in the order in which they run. */
export type MigrationSource = Pick<Feature, 'name' | 'migrations'>;

/** One step of the schema. */
export interface MigrationStep {
  readonly feature: string;
  /** The class's name. */
  readonly name: string;
}

/** Is called as migrations run: one may take hours, and what was done before one that fails is done. */
export interface MigrationListener extends LockListener {
  started(step: MigrationStep): void;
  /** It is applied, or undone, and what it did is durable. */
  done(step: MigrationStep): void;
}

/** A migration that failed; the database is as it was before it where its engine can undo DDL. */
export class MigrationError extends Error {
  constructor(
    readonly step: MigrationStep,
    cause: unknown,
  ) {
    super(`Migration ${step.name} of feature '${step.feature}' failed: ${reasonOf(cause)}`, { cause });
    this.name = 'MigrationError';
    this.stack = stackOf(this.message, cause);
  }
}

/** Without the engine's own words, which may hold values. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = codeOf(cause);
  return code === undefined ? messageOf(cause) : `${messageOf(cause)} (${code})`;
}

/** Runs migrations feature by feature, each feature's by their timestamps, once, however many processes try. */
export class Migrator {
  private readonly lock: MigrationLock;

  constructor(
    private readonly dataSource: PlatformDataSource,
    private readonly sources: readonly MigrationSource[],
    private readonly listener: MigrationListener,
  ) {
    this.lock = new MigrationLock(dataSource);
  }

  /** What this database lacks, in the order in which it will run. */
  async pending(): Promise<MigrationStep[]> {
    const done = new Set(await this.applied());
    return this.sources.flatMap(stepsOf).filter(({ name }) => !done.has(name));
  }

  /**
   * Applies what is pending, and says how many it applied.
   *
   * @param stopping after which no further one is begun.
   * @throws {MigrationError} for the first that fails. @throws {StartFault} when another process migrates for more than 60 s.
   */
  async run(stopping?: AbortSignal): Promise<number> {
    if ((await this.pending()).length === 0) return 0;
    const apply = async (): Promise<number> =>
      this.takeEach(await this.pending(), (executor, entry) => executor.executeMigration(entry), stopping);
    return this.lock.hold(apply, this.listener, stopping);
  }

  /** What this database has of a feature, in the order in which it ran. */
  async appliedOf(feature: string): Promise<MigrationStep[]> {
    const done = new Set(await this.applied());
    const steps = this.sources.filter(({ name }) => name === feature).flatMap(stepsOf);
    return steps.filter(({ name }) => done.has(name));
  }

  /**
   * Takes all migrations of a feature back, the last one first, with all that its tables hold.
   *
   * @param stopping after which no further one is begun.
   * @throws {MigrationError} for the first that fails.
   */
  async undo(feature: string, stopping?: AbortSignal): Promise<number> {
    const takeBack: Work = async (executor, entry, runner) => {
      await entry.instance?.down(runner);
      await executor.deleteMigration(entry);
    };
    const undo = async (): Promise<number> =>
      this.takeEach((await this.appliedOf(feature)).reverse(), takeBack, stopping);
    return this.lock.hold(undo, this.listener, stopping);
  }

  /** As many of these steps as are begun before `stopping`. */
  private async takeEach(steps: readonly MigrationStep[], work: Work, stopping?: AbortSignal): Promise<number> {
    let taken = 0;
    for (const step of steps) {
      if (stopping?.aborted === true) break;
      await this.take(step, work);
      taken += 1;
    }
    return taken;
  }

  private async take(step: MigrationStep, work: Work): Promise<void> {
    const instance = this.dataSource.migrations.find((migration) => nameOf(migration) === step.name);
    const entry: Entry = {
      id: undefined,
      timestamp: timestampOf(step.name),
      name: step.name,
      ...(instance && { instance }),
    };
    const whole = instance?.transaction ?? true;
    await this.lock.confirm();
    const runner = this.dataSource.createMigrationRunner();
    this.listener.started(step);
    try {
      // SQLite would delete what refers to a table as that is made anew, which is how it changes columns.
      await runner.beforeMigration();
      if (whole) await runner.startTransaction();
      await work(new MigrationExecutor(this.dataSource, runner), entry, runner);
      if (this.dataSource.options.type !== 'mysql') await requireReferences(runner);
      if (whole) await runner.commitTransaction();
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      // It is the fault to report; what is left of the runner's is given back as it is.
      await giveBack(runner).catch(() => undefined);
      throw new MigrationError(step, error);
    }
    await giveBack(runner);
    this.listener.done(step);
  }

  /** The names of all that this database has, those of other builds too. */
  async applied(): Promise<string[]> {
    try {
      const sql = `SELECT name FROM ${MIGRATION_TABLE} ORDER BY id`;
      const rows = await this.dataSource.ask<{ name: string }[]>(sql);
      return rows.map((row) => row.name);
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }
}

type Runner = Parameters<MigrationInterface['up']>[0];
/** What is done of one migration, and written down. */
type Work = (executor: MigrationExecutor, entry: Entry, runner: Runner) => Promise<unknown>;

function giveBack(runner: Runner): Promise<void> {
  return runner.afterMigration().finally(() => runner.release());
}

/** @throws {Error} (rejects) where a row of SQLite refers to one that is not there. */
async function requireReferences(runner: Runner): Promise<void> {
  const [broken] = (await runner.query('PRAGMA foreign_key_check')) as { table: string; parent: string }[];
  if (broken !== undefined)
    throw new Error(`A row of ${broken.table} refers to a row of ${broken.parent} that is not there`);
}

function stepsOf({ name: feature, migrations = [] }: MigrationSource): MigrationStep[] {
  const names = migrations.map(({ name }) => name).sort((a, b) => timestampOf(a) - timestampOf(b));
  return names.map((name) => ({ feature, name }));
}

function nameOf(migration: MigrationInterface): string {
  return migration.name ?? migration.constructor.name;
}

/** The 13 digits at the end of a migration's name, which every start makes sure of. */
function timestampOf(name: string): number {
  return Number(name.slice(-13));
}
