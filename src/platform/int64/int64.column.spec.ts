import { describe, expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { DataSource, Entity, type EntityMetadata, PrimaryColumn } from 'typeorm';
import { Int64Column, int64Transformer } from './int64.js';

const columnsOf = async (type: 'better-sqlite3' | 'mysql', entity: new () => object): Promise<EntityMetadata> => {
  const database = type === 'mysql' ? 'test' : ':memory:';
  const driver: unknown = createRequire(import.meta.url)(type === 'mysql' ? 'mysql2' : 'better-sqlite3-v13');
  const source = new DataSource({ type, driver, database, entities: [entity] });
  // Reads the decorators without a connection.
  await (source as unknown as { buildMetadatas(): Promise<void> }).buildMetadatas();
  return source.getMetadata(entity);
};

@Entity('thing')
class Thing {
  @PrimaryColumn({ type: 'varchar' })
  id: string;

  @Int64Column({ name: 'category_id' })
  categoryId: bigint;

  @Int64Column({ name: 'expires_at', nullable: true })
  expiresAt: bigint | null;
}

describe('Int64Column', () => {
  it.each(['better-sqlite3', 'mysql'] as const)('is a signed BIGINT on %s', async (type) => {
    const { columns } = await columnsOf(type, Thing);
    expect(columns.find(({ databaseName }) => databaseName === 'category_id')).toMatchObject({
      type: 'bigint',
      isNullable: false,
      unsigned: false,
    });
    expect(columns.find(({ databaseName }) => databaseName === 'expires_at')).toMatchObject({
      type: 'bigint',
      isNullable: true,
    });
  });

  it.each([
    ['9007199254740993', 9007199254740993n],
    ['-9223372036854775808', -(2n ** 63n)],
    [9007199254740993n, 9007199254740993n],
    [7, 7n],
    [null, null],
    [undefined, undefined],
  ])('reads %p from a driver', (value, expected) => {
    expect(int64Transformer.from(value)).toBe(expected);
  });

  it.each([[9007199254740992], [1.5], ['9223372036854775808'], ['1e3'], [''], [true], [new Date(0)]])(
    'refuses %p, which may have been rounded',
    (value) => {
      expect(() => int64Transformer.from(value)).toThrow(RangeError);
    },
  );

  it('hands a bigint to the driver as it is', () => {
    expect(int64Transformer.to(9007199254740993n)).toBe(9007199254740993n);
    expect(int64Transformer.to(null)).toBeNull();
  });
});
