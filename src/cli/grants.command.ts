import { Command, Option } from 'commander';
import type { Config } from '../platform/config/index.js';
import { createDataSource, MIGRATION_TABLE, planMigrations, type MigrationSource } from '../platform/database/index.js';
import type { Feature } from '../platform/feature.js';
import { platformSchema } from '../platform/schema.js';
import { refuse } from './command-output.js';
import { readConfig } from './with-database.js';

interface GrantsOptions {
  readonly role: 'service' | 'owner';
  readonly user: string;
  readonly host: string;
  readonly database?: string;
}

/** Privileges of the login for `migrate` and `keys`. It needs nothing outside its database. */
const OWNER_PRIVILEGES = 'SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, DROP, INDEX';
/** Privileges of the service on a table for which its feature declares none. */
const SERVICE_PRIVILEGES = 'SELECT, INSERT, UPDATE, DELETE';

/** `grants`: prints the GRANT statements that an administrator runs for a login. The tables need not exist yet. */
export function grantsCommand(features: readonly Feature[]): Command {
  const command: Command = new Command('grants')
    .description('print the GRANT statements of a login on MySQL or MariaDB, for an administrator to run')
    .addOption(
      new Option('--role <role>', 'of the service, or of who owns the tables, for migrate and keys')
        .choices(['service', 'owner'])
        .makeOptionMandatory(),
    )
    .requiredOption('--user <name>', 'the name of the login, which is there')
    .option('--host <host>', 'the hosts that it comes from', '%')
    .option('--database <name>', 'its database; that of DATABASE_URL unless given')
    .action(async ({ role, user, host, database: name }: GrantsOptions) => {
      const config = await readConfig();
      const { target } = config.database;
      const database = name ?? (target.kind === 'mysql' ? target.database : undefined);
      if (database === undefined)
        return refuse(command, 'DATABASE_URL names no MySQL database: say which, --database.');
      const login = `${quoted(user)}@${quoted(host)}`;
      const lines =
        role === 'owner' ? [ownerGrant(database, login)] : await serviceGrants(features, config, database, login);
      process.stdout.write(`${lines.join('\n')}\n`);
    });
  return command;
}

/** GRANT treats _ and % in the name of a database as wildcards. */
function ownerGrant(database: string, login: string): string {
  return `GRANT ${OWNER_PRIVILEGES} ON ${name(database.replace(/[_%]/g, '\\$&'))}.* TO ${login};`;
}

async function serviceGrants(
  features: readonly Feature[],
  config: Config,
  database: string,
  login: string,
): Promise<string[]> {
  const sources = [platformSchema, ...features];
  const own = new Map(sources.flatMap(({ privileges = {} }) => Object.entries(privileges)));
  const tables = await createdTables(sources, config, database);
  return [MIGRATION_TABLE, ...tables.keys()].flatMap((table) => {
    const privileges = own.get(table) ?? SERVICE_PRIVILEGES;
    const object = `${name(database)}.${name(table)}`;
    const grant = `GRANT ${privileges} ON ${object} TO ${login};`;
    // A privilege on a column needs an existing table. So the printed statements also create the table, and the
    // migration finds it and continues.
    if (privileges.includes('(')) return [`USE ${name(database)};`, tables.get(table) ?? '', grant];
    // A privilege on a missing table can be granted only together with CREATE, which is revoked afterwards.
    return [grant.replace('GRANT ', 'GRANT CREATE, '), `REVOKE CREATE ON ${object} FROM ${login};`];
  });
}

/** The tables that the migrations of this build create, with their statements. */
async function createdTables(
  sources: readonly MigrationSource[],
  config: Config,
  database: string,
): Promise<ReadonlyMap<string, string>> {
  const target = { kind: 'mysql', host: 'localhost', port: 3306, user: 'root', password: '', database } as const;
  const dataSource = await createDataSource({ ...config, database: { ...config.database, target } }, []);
  const steps = sources.flatMap(({ name: feature, migrations = [] }) =>
    migrations.map(({ name: each }) => ({ feature, name: each })),
  );
  const statements = (await planMigrations(dataSource, sources, steps)).flatMap((planned) => planned.statements);
  const found = statements.map(
    (sql) => [/^\s*CREATE TABLE (?:IF NOT EXISTS )?[`"]?(\w+)/i.exec(sql)?.[1] ?? '', sql] as const,
  );
  return new Map(found.filter(([table]) => table !== ''));
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

function name(text: string): string {
  return `\`${text.replaceAll('`', '``')}\``;
}
