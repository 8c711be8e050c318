import type { DataSource, EntityMetadata } from 'typeorm';
import { mysqlDifference, readMysqlTables } from './mysql-columns.js';
import { readSqliteTables, sqliteDifference } from './sqlite-columns.js';

/** What an entity says of one of its columns. */
export interface EntityColumn {
  readonly name: string;
  /** As the engine calls it. */
  readonly type: string;
  /** Characters; undefined where the entity leaves it to the engine. */
  readonly length: number | undefined;
  readonly collation: string | undefined;
  readonly nullable: boolean;
  readonly unsigned: boolean;
  /** Whether the database gives its values, by AUTO_INCREMENT. */
  readonly generated: boolean;
}

/**
 * What the tables have otherwise than the entities say, in a sentence each; none where they agree. A table may have more: a
 * wider column, a longer text, columns that no entity names, as a newer release adds them.
 *
 * @throws what the driver says.
 */
export async function compareSchema(dataSource: DataSource): Promise<string[]> {
  const metadatas = dataSource.entityMetadatas.filter(({ tableType }) => tableType !== 'view');
  const names = [...new Set(metadatas.map(({ tableName }) => tableName))];
  if (names.length === 0) return [];
  const isMysql = dataSource.options.type === 'mysql';
  const ask = (sql: string, values: string[]) => dataSource.query<Record<string, unknown>[]>(sql, values);
  return isMysql
    ? compare(dataSource, metadatas, await readMysqlTables(ask, names), mysqlDifference)
    : compare(dataSource, metadatas, await readSqliteTables(ask, names), sqliteDifference);
}

/** Columns by their name, by the name of their table. A table that is not there, or may not be seen, has none. */
export type Tables<Column> = ReadonlyMap<string, ReadonlyMap<string, Column>>;

function compare<Column>(
  dataSource: DataSource,
  metadatas: readonly EntityMetadata[],
  tables: Tables<Column>,
  difference: (entity: EntityColumn, column: Column) => string | undefined,
): string[] {
  return metadatas.flatMap((metadata) => {
    const { tableName, name } = metadata;
    const table = tables.get(tableName);
    if (table === undefined) return [`Table ${tableName} of entity ${name} is not there, or the login may not see it`];
    return entityColumns(dataSource, metadata).flatMap((entity) => {
      const column = table.get(entity.name);
      const what = `Column ${tableName}.${entity.name}`;
      if (column === undefined) return [`${what} of entity ${name} is not there, or the login may not see it`];
      const reason = difference(entity, column);
      return reason === undefined ? [] : [`${what} ${reason}`];
    });
  });
}

function entityColumns({ driver }: DataSource, { columns }: EntityMetadata): EntityColumn[] {
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
