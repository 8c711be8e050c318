import { access } from 'node:fs/promises';
import {
  databaseFile,
  type Config,
  type DatabaseTarget,
  loadConfig,
  loadEnvironment,
} from '../platform/config/index.js';
import {
  createDataSource,
  migrationLog,
  Migrator,
  requireDurableWrites,
  type PlatformDataSource,
  UnusableDatabase,
  unusableDatabase,
  type MigrationListener,
} from '../platform/database/index.js';
import type { Log } from '../platform/logging/index.js';
import { declareFeatures, startedFeatures } from '../platform/feature-check/index.js';
import type { Feature } from '../platform/feature.js';
import { platformSchema } from '../platform/schema.js';
import { collectedLog } from './command-output.js';

interface OpenDatabase {
  readonly config: Config;
  readonly migrator: Migrator;
  readonly dataSource: PlatformDataSource;
  /** Progress is logged here. Undefined: it is printed. */
  readonly log: Log | undefined;
}

interface DatabaseUse {
  /** Default: read from the environment. */
  readonly config?: Config;
  /**
   * Whether to check the schema first. MIGRATIONS=run applies pending migrations. MIGRATIONS=check refuses the work if
   * a migration of the platform or of `feature` is pending. Other features do not matter: a key can be revoked without
   * them.
   */
  readonly migrate: boolean;
  /** A feature whose tables the work needs, in addition to those of the platform. */
  readonly feature?: string | undefined;
  /** Whether to create a missing SQLite file. */
  readonly create?: boolean;
  /** Whether statements may take a minute. No client waits for them. */
  readonly patient?: boolean;
  /** Whether the migrator also knows the features in FEATURES_OFF. */
  readonly withThoseOff?: boolean;
  /** How to report a completed migration. Undefined: nothing on the terminal, and `applied` in the log. */
  readonly outcome?: 'applied' | 'undone';
}

const PATIENCE = { acquireTimeoutMs: 60_000, queryTimeoutMs: 60_000 };

/**
 * Runs `work` on the configured database, and closes the database afterwards.
 *
 * @throws {UnusableDatabase} if the work failed because of the database, or of a lock in it that another process holds.
 */
export async function withDatabase<T>(
  features: readonly Feature[],
  use: DatabaseUse,
  work: (open: OpenDatabase) => Promise<T>,
): Promise<T> {
  const { config = await readConfig() } = use;
  const { target } = config.database;
  if (use.create !== true) await requireFile(target);
  try {
    return await onOpened(features, config, use, work);
  } catch (error) {
    throw unusableDatabase(error, target) ?? error;
  }
}

async function onOpened<T>(
  features: readonly Feature[],
  config: Config,
  { migrate, feature, patient = false, withThoseOff = false, outcome }: DatabaseUse,
  work: (open: OpenDatabase) => Promise<T>,
): Promise<T> {
  const sources = [
    platformSchema,
    ...(await declareFeatures(withThoseOff ? features : startedFeatures(features, config))),
  ];
  const { acquireTimeoutMs, connectTimeoutMs } = config.database;
  // The first statement of a command also opens its connection, and no client waits for it.
  const patience = patient ? PATIENCE : { acquireTimeoutMs: Math.max(acquireTimeoutMs, connectTimeoutMs) };
  const database = { ...config.database, ...patience };
  const log = await collectedLog(config);
  const observers = log === undefined ? { statements: STATEMENTS } : { log };
  const dataSource = await createDataSource({ ...config, database }, sources, observers);
  await dataSource.initialize();
  try {
    const listener = log === undefined ? consoleListener(outcome) : migrationLog(log, outcome);
    const migrator = new Migrator(dataSource, sources, listener);
    if (migrate) {
      await bringSchema(migrator, config, [platformSchema.name, feature]);
      await requireDurableWrites(dataSource);
    }
    return await work({ config, migrator, dataSource, log });
  } finally {
    await dataSource.destroy();
  }
}

/** Prints a refused statement of a migration for the user. */
const STATEMENTS = {
  warn: (
    { statement, sent_by: lines = '' }: { statement: string; sent_by: string | undefined },
    message: string,
  ): void => void process.stderr.write(`${message}\n${statement}\n${lines}\n`),
  debug: (): void => undefined,
};

/** @throws {UnusableDatabase} if MIGRATIONS=check and the schema is behind. */
async function bringSchema(
  migrator: Migrator,
  { migrations, database: { target } }: Config,
  owners: readonly (string | undefined)[],
): Promise<void> {
  if (migrations === 'run') await migrator.run();
  if (migrations === 'check' && (await migrator.pending()).some(({ feature }) => owners.includes(feature))) {
    throw new UnusableDatabase(target, "its schema is behind. Run 'migrate' first");
  }
}

/**
 * A missing SQLite file is an error: the command probably runs in another folder than the service, and a key in a new
 * file would be useless.
 */
async function requireFile(target: DatabaseTarget): Promise<void> {
  const file = databaseFile(target);
  if (file === undefined) return;
  try {
    await access(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const absent =
      'there is no such file. Run this in the folder of the service and with its DATABASE_URL, or migrate first';
    throw new UnusableDatabase(target, code === 'ENOENT' ? absent : message, { cause: error });
  }
}

/** Prints completed migrations, the result of the command, on standard output. The progress goes to standard error. */
function consoleListener(outcome: DatabaseUse['outcome']): MigrationListener {
  return {
    waiting: () => void process.stderr.write('Another process migrates; waiting for it, 60 s at most.\n'),
    unrenewed: () =>
      void process.stderr.write('warning: The migration lock cannot be renewed; another process may take it over.\n'),
    started: ({ name }) => {
      if (outcome !== undefined) process.stderr.write(`${outcome === 'undone' ? 'undoing' : 'applying'} ${name}\n`);
    },
    done: ({ name }) => {
      if (outcome !== undefined) process.stdout.write(`${outcome} ${name}\n`);
    },
  };
}

/**
 * Reads the configuration of a command. Warnings, for example of misspelt variables, go to standard error or into the
 * log. Without them a command could work on another database unnoticed.
 *
 * @throws {ConfigError} with every fault.
 */
export async function readConfig(): Promise<Config> {
  const config = loadConfig(loadEnvironment(), process.stderr.isTTY);
  const log = await collectedLog(config);
  for (const warning of config.warnings) {
    if (log === undefined) process.stderr.write(`warning: ${warning}\n`);
    else log.warn({ event: 'config.warning' }, warning);
  }
  return config;
}
