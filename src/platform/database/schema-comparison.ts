import type { DataSource, EntityMetadata } from 'typeorm';
import type { Entities } from '../feature.js';
import type { PlatformDataSource } from './data-source.js';

/** A feature, or the platform, and its entities. */
export interface TableOwner {
  readonly name: string;
  readonly entities?: Entities;
}

/**
 * What the tables have otherwise than the entities say, in a sentence each; none where they agree. A table may have more: a
 * wider column, a longer text, columns that no entity names, as a newer release adds them.
 *
 * @param owners whose the entities are: a migration of theirs has to make what is missing.
 * @throws what the driver says.
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

/** Compares the columns of an entity with those of its table. `missing` is said of a table or column that is not there. */
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

/** What an entity says of one of its columns. */
export interface EntityColumn {
  readonly name: string;
  /** As the engine calls it: TypeORM replaces other names, such as `bool`. */
  readonly type: string;
  /** Characters; undefined where the entity leaves it to the engine. */
  readonly length: number | undefined;
  readonly collation: string | undefined;
  readonly nullable: boolean;
  readonly unsigned: boolean;
  /** Whether the database gives its values, by AUTO_INCREMENT. */
  readonly generated: boolean;
}

/** Columns by their name, by the name of their table. A table that is not there, or may not be seen, has none. */
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

/** A column as `information_schema` has it, and its table's engine. */
export interface MysqlColumn {
  readonly type: string;
  /** With its length and `unsigned`, as CREATE TABLE takes it. */
  readonly fullType: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
  readonly collation: string | null;
  /** Characters, or bytes of binary data. */
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

/** Of these tables those columns that the login may see. */
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

/** Types that hold the same kind of value, the narrower first. Types of no list are the same as themselves alone. */
const KINDS: readonly (readonly string[])[] = [
  ['tinyint', 'smallint', 'mediumint', 'int', 'bigint'],
  ['float', 'double'],
  // JSON is a LONGTEXT on MariaDB.
  ['char', 'varchar', 'enum', 'set', 'uuid', 'tinytext', 'text', 'mediumtext', 'longtext', 'json'],
  ['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'],
  ['datetime', 'timestamp'],
];
const [INTEGERS = [], , TEXTS = []] = KINDS;

/** Characters that fit where the entity says no length. */
const CAPACITY: Readonly<Record<string, number>> = { tinytext: 63, text: 16_383, mediumtext: 4_194_303 };

/** What of a column is not as the entity says it; undefined where all is. */
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
  // Of another engine a write is durable at once, whatever becomes of its transaction.
  if (column.engine !== null && !/^innodb$/i.test(column.engine))
    return `is in a table of ${column.engine}, not InnoDB`;
  return undefined;
}

/** A column as `pragma_table_info` has it. */
export interface SqliteColumn {
  readonly type: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
}

export async function readSqliteTables(ask: Ask, names: readonly string[]): Promise<Tables<SqliteColumn>> {
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

/** What of a column is not as the entity says it; undefined where all is. Lengths mean nothing to SQLite. */
export function sqliteDifference(entity: EntityColumn, column: SqliteColumn): string | undefined {
  if (affinity(entity.type) !== affinity(column.type))
    return `is ${column.type || 'of no type'}, the entity says ${entity.type}`;
  if (entity.nullable && !column.nullable && !column.hasDefault) return 'is NOT NULL, the entity says nullable';
  return undefined;
}

/** By SQLite's own rules, in their order (Datatypes In SQLite, 3.1). */
function affinity(type: string): string {
  if (type.includes('int')) return 'integer';
  if (/char|clob|text/.test(type)) return 'text';
  if (type === '' || type.includes('blob')) return 'blob';
  return /real|floa|doub/.test(type) ? 'real' : 'numeric';
}
