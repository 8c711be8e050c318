import type { EntityColumn, Tables } from './entity-columns.js';

/** A column as `pragma_table_info` has it. */
export interface SqliteColumn {
  readonly type: string;
  readonly nullable: boolean;
  readonly hasDefault: boolean;
}

type Ask = (sql: string, values: string[]) => Promise<readonly Record<string, unknown>[]>;

export async function readSqliteTables(ask: Ask, names: readonly string[]): Promise<Tables<SqliteColumn>> {
  const tables = new Map<string, Map<string, SqliteColumn>>();
  for (const name of names) {
    const rows = await ask('SELECT name, type, "notnull" AS strict, pk, dflt_value FROM pragma_table_info(?)', [name]);
    if (rows.length > 0) tables.set(name, new Map(rows.map((row) => [row['name'] as string, columnOf(row)])));
  }
  return tables;
}

function columnOf(row: Record<string, unknown>): SqliteColumn {
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
