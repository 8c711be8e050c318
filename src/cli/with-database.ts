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
  /** Where progress is logged, in place of being printed. */
  readonly log: Log | undefined;
}

interface DatabaseUse {
  /** Where it was read already. */
  readonly config?: Config;
  /**
   * Whether to bring the schema first where MIGRATIONS=run. Where MIGRATIONS=check, one that lacks something of the
   * platform's or of `feature` is refused; what others lack is no hindrance to revoking a key.
   */
  readonly migrate: boolean;
  /** The feature whose tables the work needs, besides those of the platform. */
  readonly feature?: string | undefined;
  /** Whether to make an SQLite file that is not there. */
  readonly create?: boolean;
  /** Whether statements may take a minute, since no client waits for them. */
  readonly patient?: boolean;
  /** Whether the migrator knows the features too that FEATURES_OFF names. */
  readonly withThoseOff?: boolean;
  /** What has happened to a migration that is done. Without it the terminal shows none, and the log has `applied`. */
  readonly outcome?: 'applied' | 'undone';
}

const PATIENCE = { acquireTimeoutMs: 60_000, queryTimeoutMs: 60_000 };

/**
 * Runs `work` on the database that the environment names, and closes it again.
 *
 * @throws {UnusableDatabase} where the database, or a lock that others hold in it, is the reason that it could not be done.
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
  // No client waits for a command, whose first connection is made with the first statement.
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

/** Prints what was wrong with a migration for whoever runs it. */
const STATEMENTS = {
  warn: (
    { statement, sent_by: lines = '' }: { statement: string; sent_by: string | undefined },
    message: string,
  ): void => void process.stderr.write(`${message}\n${statement}\n${lines}\n`),
  debug: (): void => undefined,
};

/** @throws {UnusableDatabase} where the schema is behind and MIGRATIONS=check. */
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

/** A key in a file that was made for it would open nothing: the command runs in another folder than the service. */
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

/** What was done goes to standard output, as what came of a command; the rest is for whoever waits for it. */
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
 * The configuration of a command, which logs to standard error. Misspelt names are reported there too: a command that
 * works elsewhere than was meant would not say so itself.
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
