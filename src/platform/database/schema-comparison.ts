import type { DataSource, EntityMetadata } from 'typeorm';
import type { Entities } from '../feature.js';
import type { PlatformDataSource } from './data-source.js';

/** A feature, or the platform, and its entities. */
export interface TableOwner {
  readonly name: string;
  readonly entities?: Entities;
}

/**
 * The differences between the tables and the entities, one sentence each. A table may have more than its entity: a
 * wider column, a longer text, or more columns, for example from a newer release.
 *
 * @param owners the features, so that a sentence can name the feature whose migration is missing.
 * @throws (rejects) the error of the driver.
 */
export async function compareSchema(
  dataSource: PlatformDataSource,
  owners: readonly TableOwner[] = [],
): Promise<string[]> {
  const metadatas = dataSource.entityMetadatas.filter(({ tableType }) => tableType !== 'view');
  const names = [...new Set(metadatas.map(({ tableName }) => tableName))];
  if (names.length === 0) return [];
  const ask: Ask = (sql, values) => dataSource.ask(sql, values);
  const compare =
    dataSource.options.type === 'mysql'
      ? comparison(await readMysqlTables(ask, names), mysqlDifference)
      : comparison(await readSqliteTables(ask, names), sqliteDifference);
  return metadatas.flatMap((metadata) => {
    const owns = ({ entities = [] }: TableOwner): boolean =>
      entities.some((entity) => dataSource.getMetadata(entity) === metadata);
    const { name } = owners.find(owns) ?? {};
    const cure = name === undefined ? '' : `; if no migration of feature '${name}' makes it, add one`;
    const missing = `of entity ${metadata.name} is not there, or the login may not see it${cure}`;
    return compare(metadata.tableName, entityColumns(dataSource, metadata), missing);
  });
}

/** Compares the columns of an entity with those of its table. `missing` describes a missing table or column. */
function comparison<Column>(
  tables: Tables<Column>,
  difference: (entity: EntityColumn, column: Column) => string | undefined,
): (tableName: string, columns: readonly EntityColumn[], missing: string) => string[] {
  return (tableName, columns, missing) => {
    const table = tables.get(tableName);
    if (table === undefined) return [`Table ${tableName} ${missing}`];
    return columns.flatMap((entity) => {
      const column = table.get(entity.name);
      const reason = column === undefined ? missing : difference(entity, column);
      return reason === undefined ? [] : [`Column ${tableName}.${entity.name} ${reason}`];
    });
  };
}

/** A column as its entity declares it. */
export interface EntityColumn {
  readonly name: string;
  /** The name that the engine uses. TypeORM replaces aliases such as `bool`. */
  readonly type: string;
  /** Characters; undefined if the entity has no length. */
  readonly length: number | undefined;
  readonly collation: string | undefined;
  readonly nullable: boolean;
  readonly unsigned: boolean;
  /** Whether the database generates the values, by AUTO_INCREMENT. */
  readonly generated: boolean;
}

/**
 * Columns by name, by the name of their table. A table that does not exist, or that the login may not see, is left out.
 */
export type Tables<Column> = ReadonlyMap<string, ReadonlyMap<string, Column>>;

export function entityColumns({ driver }: DataSource, { columns }: EntityMetadata): EntityColumn[] {
  return columns
    .filter(({ isVirtual, isVirtualProperty }) => !(isVirtual && isVirtualProperty))
    .map((column) => ({
      name: column.databaseName,
      type: driver.normalizeType(column).toLowerCase(),
      length: column.length === '' ? undefined : Number(column.length),
      collation: column.collation,
      nullable: column.isNullable,
      unsigned: column.unsigned,
      generated: column.isGenerated && column.generationStrategy === 'increment',
    }));
}

/** A column in `information_schema`, with the engine of its table. */
export interface MysqlColumn {
  readonly type: string;
  /** The type with its length and `unsigned`, as in CREATE TABLE. */
  readonly fullType: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  readonly collation: string | null;
  /** Characters, or bytes of a binary type. */
  readonly length: number | null;
  readonly extra: string;
  readonly engine: string | null;
}

const COLUMNS = `
  SELECT c.table_name AS table_name, c.column_name AS name, c.data_type AS type, c.column_type AS full_type,
    c.is_nullable AS nullable, c.column_default IS NOT NULL AS has_default,
    c.collation_name AS collation, CAST(c.character_maximum_length AS CHAR) AS length, c.extra AS extra, t.engine AS engine
  FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  WHERE c.table_schema = DATABASE() AND c.table_name IN `;

type Row = Readonly<Record<string, unknown>>;
type Ask = (sql: string, values: string[]) => Promise<readonly Row[]>;

/** Reads the columns that the login may see. */
export async function readMysqlTables(ask: Ask, names: readonly string[]): Promise<Tables<MysqlColumn>> {
  const rows = await ask(`${COLUMNS}(${names.map(() => '?').join(', ')})`, [...names]);
  const tables = Map.groupBy(rows, (row) => row['table_name'] as string);
  return new Map([...tables].map(([name, columns]) => [name, columnsOf(columns, mysqlColumn)]));
}

function columnsOf<Column>(rows: readonly Row[], columnOf: (row: Row) => Column): ReadonlyMap<string, Column> {
  return new Map(rows.map((row) => [row['name'] as string, columnOf(row)]));
}

function mysqlColumn(row: Row): MysqlColumn {
  return {
    type: String(row['type']).toLowerCase(),
    fullType: String(row['full_type']).toLowerCase(),
    nullable: row['nullable'] === 'YES',
    hasDefault: Number(row['has_default']) === 1,
    collation: row['collation'] as string | null,
    length: row['length'] === null ? null : Number(row['length']),
    extra: String(row['extra']).toLowerCase(),
    engine: row['engine'] as string | null,
  };
}

/** Types for the same kind of value, narrower types first. A type that is in no list matches only itself. */
const KINDS: readonly (readonly string[])[] = [
  ['tinyint', 'smallint', 'mediumint', 'int', 'bigint'],
  ['float', 'double'],
  // MariaDB stores JSON as LONGTEXT.
  ['char', 'varchar', 'enum', 'set', 'uuid', 'tinytext', 'text', 'mediumtext', 'longtext', 'json'],
  ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'],
  ['datetime', 'timestamp'],
];
const [INTEGERS = [], , TEXTS = []] = KINDS;

/** Capacity of text types in characters, for columns without a length. */
const CAPACITY: Readonly<Record<string, number>> = { tinytext: 63, text: 16_383, mediumtext: 4_194_303 };

/** The difference between a column and its entity; undefined if they match. */
export function mysqlDifference(entity: EntityColumn, column: MysqlColumn): string | undefined {
  const { type } = entity;
  const kind = KINDS.find((types) => types.includes(type)) ?? [type];
  if (!kind.includes(column.type)) return `is ${column.fullType}, the entity says ${type}`;
  if (kind === INTEGERS) return integerDifference(entity, column) ?? rowDifference(entity, column);
  if (kind === TEXTS) return textDifference(entity, column) ?? rowDifference(entity, column);
  return rowDifference(entity, column);
}

function integerDifference(entity: EntityColumn, column: MysqlColumn): string | undefined {
  if (INTEGERS.indexOf(column.type) < INTEGERS.indexOf(entity.type))
    return `is ${column.fullType}, the entity says ${entity.type}`;
  if (column.fullType.includes('unsigned') !== entity.unsigned)
    return `is ${column.fullType}, the entity says ${entity.unsigned ? 'unsigned' : 'signed'}`;
  return undefined;
}

function textDifference(entity: EntityColumn, column: MysqlColumn): string | undefined {
  if (entity.collation !== undefined && column.collation !== null && entity.collation !== column.collation)
    return `has the collation ${column.collation}, the entity says ${entity.collation}`;
  const needed = entity.length ?? CAPACITY[entity.type] ?? 0;
  const capacity = CAPACITY[column.type] ?? column.length ?? Infinity;
  return capacity < needed ? `is ${column.fullType}, the entity says ${needed} characters` : undefined;
}

function rowDifference(entity: EntityColumn, column: MysqlColumn): string | undefined {
  if (entity.nullable && !column.nullable && !column.hasDefault) return 'is NOT NULL, the entity says nullable';
  if (entity.generated && !column.extra.includes('auto_increment'))
    return 'has no AUTO_INCREMENT, the entity says generated';
  // Other engines ignore transactions: a write stays even if its transaction is rolled back.
  if (column.engine !== null && !/^innodb$/i.test(column.engine))
    return `is in a table of ${column.engine}, not InnoDB`;
  return undefined;
}

/** A column in `pragma_table_info`. */
export interface SqliteColumn {
  readonly type: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
}

async function readSqliteTables(ask: Ask, names: readonly string[]): Promise<Tables<SqliteColumn>> {
  const tables = new Map<string, ReadonlyMap<string, SqliteColumn>>();
  for (const name of names) {
    const rows = await ask('SELECT name, type, "notnull" AS strict, pk, dflt_value FROM pragma_table_info(?)', [name]);
    if (rows.length > 0) tables.set(name, columnsOf(rows, sqliteColumn));
  }
  return tables;
}

function sqliteColumn(row: Row): SqliteColumn {
  return {
    type: String(row['type']).toLowerCase(),
    nullable: Number(row['strict']) === 0 && Number(row['pk']) === 0,
    hasDefault: row['dflt_value'] !== null,
  };
}

/** The difference between a column and its entity; undefined if they match. SQLite ignores lengths. */
export function sqliteDifference(entity: EntityColumn, column: SqliteColumn): string | undefined {
  if (affinity(entity.type) !== affinity(column.type))
    return `is ${column.type || 'of no type'}, the entity says ${entity.type}`;
  if (entity.nullable && !column.nullable && !column.hasDefault) return 'is NOT NULL, the entity says nullable';
  return undefined;
}

/** The affinity of a type by SQLite's rules, in their order (Datatypes In SQLite, 3.1). */
function affinity(type: string): string {
  if (type.includes('int')) return 'integer';
  if (/char|clob|text/.test(type)) return 'text';
  if (type === '' || type.includes('blob')) return 'blob';
  return /real|floa|doub/.test(type) ? 'real' : 'numeric';
}
