import { MigrationExecutor, type Migration as Entry, type MigrationInterface } from 'typeorm';
import type { Feature } from '../feature.js';
import { messageOf, stackOf } from '../logging/index.js';
import { MIGRATION_TABLE } from './statement-log.js';
import { codeOf, isMissingTable } from './database-failure.js';
import { MigrationLock, type LockListener } from './migration-lock.js';
import type { PlatformDataSource } from './data-source.js';

/** A feature, or the platform, with its migrations. */
export type MigrationSource = Pick<Feature, 'name' | 'migrations'>;

/** One migration. */
export interface MigrationStep {
  readonly feature: string;
  /** The name of the class. */
  readonly name: string;
}

/** Is called while migrations run. A migration may take hours. If one fails, the earlier ones stay applied. */
export interface MigrationListener extends LockListener {
  started(step: MigrationStep): void;
  /** The migration was applied or undone, and the result is durable. */
  done(step: MigrationStep): void;
}

/** A migration failed. If the engine can roll back DDL, the database is as it was before this migration. */
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

/** The message without the text of the engine, which may contain data. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = codeOf(cause);
  return code === undefined ? messageOf(cause) : `${messageOf(cause)} (${code})`;
}

/**
 * Runs migrations feature by feature, those of a feature by their timestamps. Each runs once, however many processes
 * try.
 */
export class Migrator {
  private readonly lock: MigrationLock;

  constructor(
    private readonly dataSource: PlatformDataSource,
    private readonly sources: readonly MigrationSource[],
    private readonly listener: MigrationListener,
  ) {
    this.lock = new MigrationLock(dataSource);
  }

  /** The migrations that this database lacks, in the order in which they will run. */
  async pending(): Promise<MigrationStep[]> {
    const done = new Set(await this.applied());
    return this.sources.flatMap(stepsOf).filter(({ name }) => !done.has(name));
  }

  /**
   * Applies the pending migrations, and returns how many it applied.
   *
   * @param stopping once it is aborted, no further migration begins.
   * @throws {MigrationError} (rejects) for the first migration that fails.
   * @throws {StartFault} (rejects) if another process migrates for more than 60 s.
   */
  async run(stopping?: AbortSignal): Promise<number> {
    if ((await this.pending()).length === 0) return 0;
    const apply = async (): Promise<number> =>
      this.takeEach(await this.pending(), (executor, entry) => executor.executeMigration(entry), stopping);
    return this.lock.hold(apply, this.listener, stopping);
  }

  /** The applied migrations of a feature, in the order of their timestamps. */
  async appliedOf(feature: string): Promise<MigrationStep[]> {
    const done = new Set(await this.applied());
    const steps = this.sources.filter(({ name }) => name === feature).flatMap(stepsOf);
    return steps.filter(({ name }) => done.has(name));
  }

  /**
   * Undoes all migrations of a feature, the last one first. All data in its tables is lost.
   *
   * @param stopping once it is aborted, no further migration begins.
   * @throws {MigrationError} (rejects) for the first migration that fails.
   * @throws {StartFault} (rejects) if another process migrates for more than 60 s.
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

  /** Runs the steps one after the other until `stopping` is aborted, and returns how many it ran. */
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
      // SQLite changes a column by creating the table anew. With foreign keys on, that would delete the rows that refer
      // to it.
      await runner.beforeMigration();
      if (whole) await runner.startTransaction();
      await work(new MigrationExecutor(this.dataSource, runner), entry, runner);
      if (this.dataSource.options.type !== 'mysql') await requireReferences(runner);
      if (whole) await runner.commitTransaction();
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined);
      // The error of the migration is more important than an error of the release.
      await giveBack(runner).catch(() => undefined);
      throw new MigrationError(step, error);
    }
    await giveBack(runner);
    this.listener.done(step);
  }

  /** The names of all applied migrations, including those of other builds. */
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
/** Applies or undoes one migration, and records it. */
type Work = (executor: MigrationExecutor, entry: Entry, runner: Runner) => Promise<unknown>;

function giveBack(runner: Runner): Promise<void> {
  return runner.afterMigration().finally(() => runner.release());
}

/** @throws {Error} (rejects) if a row of SQLite refers to a row that does not exist. */
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

/** The 13 digits at the end of the name of a migration. Every start checks that they are there. */
function timestampOf(name: string): number {
  return Number(name.slice(-13));
}
