import type { DataSource, EntityMetadata } from 'typeorm';

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
