import { planMigrations, type MigrationSource } from '../platform/database/index.js';
import type { Feature } from '../platform/feature.js';
import { platformSchema } from '../platform/schema.js';
import { withDatabase } from './with-database.js';

const READ_ONLY = { migrate: false, withThoseOff: true } as const;

/** `migrate --status`: each migration of this build and of the database, and what that comes to. */
export async function printStatus(features: readonly Feature[]): Promise<void> {
  await withDatabase(features, READ_ONLY, async ({ migrator }) => {
    const [applied, pending] = [await migrator.applied(), await migrator.pending()];
    const ahead = unknownTo(features, applied);
    const known = applied.filter((name) => !ahead.includes(name));
    const lines = [
      ...known.map((name) => `applied  ${name}`),
      ...pending.map(({ name, feature }) => `pending  ${name} of '${feature}'`),
      ...ahead.map((name) => `unknown  ${name}`),
      ...(pending.length === 0
        ? []
        : [`The schema is behind this build by ${countOf(pending.length)}: run 'migrate'.`]),
      ...(ahead.length === 0 ? [] : [describeAhead(ahead)]),
      ...(pending.length + ahead.length === 0 ? ['The schema is current.'] : []),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  });
}

/** `migrate --plan`: the SQL that `migrate` would run on this database. Nothing is changed. */
export async function printPlan(features: readonly Feature[]): Promise<void> {
  await withDatabase(features, READ_ONLY, async ({ migrator, dataSource }) => {
    const planned = await planMigrations(dataSource, sourcesOf(features), await migrator.pending());
    if (planned.length === 0) process.stdout.write('-- Nothing is pending.\n');
    for (const { name, feature, statements, fault } of planned) {
      const rest = fault === undefined ? [] : [`-- What follows is known once those before are applied: ${fault}`];
      const recorded = `INSERT INTO migration (timestamp, name) VALUES (${name.slice(-13)}, '${name}');`;
      process.stdout.write(`${[`-- ${name} of '${feature}'`, ...statements, ...rest, recorded].join('\n')}\n\n`);
    }
  });
}

/** The migrations that a database has of a build that is newer, or has other features. */
export function unknownTo(features: readonly Feature[], applied: readonly string[]): string[] {
  const known = new Set(sourcesOf(features).flatMap(({ migrations = [] }) => migrations.map(({ name }) => name)));
  return applied.filter((name) => !known.has(name));
}

export function describeAhead(unknown: readonly string[]): string {
  return `The schema is ahead of this build by ${countOf(unknown.length)}, of a newer one or another feature: ${unknown.join(', ')}.`;
}

function sourcesOf(features: readonly Feature[]): MigrationSource[] {
  return [platformSchema, ...features];
}

function countOf(migrations: number): string {
  return migrations === 1 ? '1 migration' : `${migrations} migrations`;
}
