import type { EntityMetadata } from 'typeorm';
import { entityColumns, type EntityColumn, type Tables } from './entity-columns.js';
import { mysqlDifference, readMysqlTables } from './mysql-columns.js';
import type { PlatformDataSource } from './platform-data-source.js';
import { readSqliteTables, sqliteDifference } from './sqlite-columns.js';

/**
 * What the tables have otherwise than the entities say, in a sentence each; none where they agree. A table may have more: a
 * wider column, a longer text, columns that no entity names, as a newer release adds them.
 *
 * @throws what the driver says.
 */
export async function compareSchema(dataSource: PlatformDataSource): Promise<string[]> {
  const metadatas = dataSource.entityMetadatas.filter(({ tableType }) => tableType !== 'view');
  const names = [...new Set(metadatas.map(({ tableName }) => tableName))];
  if (names.length === 0) return [];
  const isMysql = dataSource.options.type === 'mysql';
  const ask = (sql: string, values: string[]) => dataSource.ask<Record<string, unknown>[]>(sql, values);
  return isMysql
    ? compare(dataSource, metadatas, await readMysqlTables(ask, names), mysqlDifference)
    : compare(dataSource, metadatas, await readSqliteTables(ask, names), sqliteDifference);
}

function compare<Column>(
  dataSource: PlatformDataSource,
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
