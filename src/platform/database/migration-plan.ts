import type { DataSource } from 'typeorm';
import type { Entities } from '../feature.js';
import { messageOf } from '../logging/index.js';
import { isMissingTable } from './database-failure.js';
import type { MigrationSource, MigrationStep } from './migrator.js';

/** The statements that one migration would run. */
export interface PlannedMigration extends MigrationStep {
  /** The statements in their order, without those that only read. */
  readonly statements: readonly string[];
  /** Why the list may be incomplete: the migration reads something that an earlier migration creates. */
  readonly fault?: string;
}

/**
 * Records the SQL of migrations without running it. If the data source is open, a migration that reads gets the data of
 * the database. Otherwise every read returns no rows.
 */
export async function planMigrations(
  dataSource: DataSource,
  sources: readonly MigrationSource[],
  steps: readonly MigrationStep[],
): Promise<PlannedMigration[]> {
  const classes = sources.flatMap(({ migrations = [] }) => migrations);
  const planned: PlannedMigration[] = [];
  for (const step of steps) {
    const Migration = classes.find(({ name }) => name === step.name);
    if (Migration !== undefined) planned.push({ ...step, ...(await record(dataSource, new Migration())) });
  }
  return planned;
}

type Instance = InstanceType<NonNullable<MigrationSource['migrations']>[number]>;

async function record(
  dataSource: DataSource,
  migration: Instance,
): Promise<Omit<PlannedMigration, keyof MigrationStep>> {
  const statements: string[] = [];
  const runner = dataSource.createQueryRunner();
  const read = runner.query.bind(runner) as (sql: string, parameters?: unknown[]) => Promise<unknown>;
  const query = (sql: string, parameters: unknown[] = []): Promise<unknown> => {
    if (/^\s*(SELECT|SHOW|PRAGMA)\b/i.test(sql))
      return dataSource.isInitialized ? read(sql, parameters) : Promise.resolve([]);
    const values = parameters.length === 0 ? '' : ` -- with ${JSON.stringify(parameters.map(String))}`;
    statements.push(`${dedent(sql)};${values}`);
    return Promise.resolve([]);
  };
  Object.assign(runner, { query });
  try {
    await migration.up(runner);
    return { statements };
  } catch (error) {
    return { statements, fault: error instanceof Error ? messageOf(error) : String(error) };
  } finally {
    await runner.release();
  }
}

/** Removes the indentation of the source file. */
function dedent(sql: string): string {
  const lines = sql.replace(/^\s*\n|\s+$/g, '').split('\n');
  const indents = lines.filter((line) => line.startsWith(' ')).map((line) => line.length - line.trimStart().length);
  const least = lines.every((line) => line.startsWith(' ')) || lines.at(-1)?.startsWith(' ') ? Math.min(...indents) : 0;
  return lines.map((line) => (line.startsWith(' ') ? line.slice(least) : line)).join('\n');
}

/** Limit of counted rows in one table, because counting all rows of a large table takes minutes. */
export const MOST_COUNTED = 100_000;

/** The size of a table. Its rows are lost if the migrations of its feature are undone. */
export interface TableSize {
  readonly table: string;
  /** At most one more than `MOST_COUNTED`. That value stands for any larger number. */
  readonly rows: number;
}

/** The number of rows in the tables of these entities. Missing tables are left out. */
export async function tableSizes(dataSource: DataSource, entities: Entities): Promise<TableSize[]> {
  const sizes: TableSize[] = [];
  for (const entity of entities) {
    const { tableName: table } = dataSource.getMetadata(entity);
    const some = `SELECT 1 FROM ${dataSource.driver.escape(table)} LIMIT ${MOST_COUNTED + 1}`;
    try {
      const count = `SELECT COUNT(*) AS n FROM (${some}) AS counted`;
      const [found] = await dataSource.query<{ n: unknown }[]>(count);
      sizes.push({ table, rows: Number(found?.n) });
    } catch (error) {
      if (!isMissingTable(error)) throw error;
    }
  }
  return sizes;
}
