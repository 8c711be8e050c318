import type { EntityMetadata } from 'typeorm';
import {
  entityColumns,
  mysqlDifference,
  readMysqlTables,
  readSqliteTables,
  sqliteDifference,
  type EntityColumn,
  type Tables,
} from './column-differences.js';
import type { PlatformDataSource } from './platform-data-source.js';
import type { Entities } from '../feature.js';

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
  const isMysql = dataSource.options.type === 'mysql';
  const ask = (sql: string, values: string[]) => dataSource.ask<Record<string, unknown>[]>(sql, values);
  const missing = (metadata: EntityMetadata): string => {
    const owns = ({ entities = [] }: TableOwner): boolean =>
      entities.some((entity) => dataSource.getMetadata(entity) === metadata);
    const { name } = owners.find(owns) ?? {};
    const cure = name === undefined ? '' : `; if no migration of feature '${name}' makes it, add one`;
    return `of entity ${metadata.name} is not there, or the login may not see it${cure}`;
  };
  return isMysql
    ? compare({ dataSource, metadatas, missing }, await readMysqlTables(ask, names), mysqlDifference)
    : compare({ dataSource, metadatas, missing }, await readSqliteTables(ask, names), sqliteDifference);
}

/** A feature, or the platform, and its entities. */
export interface TableOwner {
  readonly name: string;
  readonly entities?: Entities;
}

interface Comparison {
  readonly dataSource: PlatformDataSource;
  readonly metadatas: readonly EntityMetadata[];
  /** What is said of a table or column that is not there. */
  readonly missing: (metadata: EntityMetadata) => string;
}

function compare<Column>(
  { dataSource, metadatas, missing }: Comparison,
  tables: Tables<Column>,
  difference: (entity: EntityColumn, column: Column) => string | undefined,
): string[] {
  return metadatas.flatMap((metadata) => {
    const { tableName } = metadata;
    const table = tables.get(tableName);
    if (table === undefined) return [`Table ${tableName} ${missing(metadata)}`];
    return entityColumns(dataSource, metadata).flatMap((entity) => {
      const column = table.get(entity.name);
      const what = `Column ${tableName}.${entity.name}`;
      if (column === undefined) return [`${what} ${missing(metadata)}`];
      const reason = difference(entity, column);
      return reason === undefined ? [] : [`${what} ${reason}`];
    });
  });
}
