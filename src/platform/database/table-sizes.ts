import type { Entities } from '../feature.js';
import type { PlatformDataSource } from './platform-data-source.js';
import { isMissingTable } from './database-failure.js';

/** Rows of one table that are counted at most: to count all of a large one takes minutes. */
export const MOST_COUNTED = 100_000;

export interface TableSize {
  readonly table: string;
  /** Up to one more than `MOST_COUNTED`, which then stands for any number beyond it. */
  readonly rows: number;
}

/** How much the tables of these entities hold, without those that are not there. */
export async function tableSizes(dataSource: PlatformDataSource, entities: Entities): Promise<TableSize[]> {
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
