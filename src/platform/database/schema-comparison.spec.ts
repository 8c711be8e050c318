import { expect, it, jest } from '@jest/globals';
import { EntitySchema } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { createDataSource } from './data-source.js';
import {
  compareSchema,
  entityColumns,
  mysqlDifference,
  readMysqlTables,
  sqliteDifference,
  type MysqlColumn,
} from './schema-comparison.js';

const entity = {
  name: 'x',
  type: 'bigint',
  length: undefined,
  collation: undefined,
  nullable: false,
  unsigned: false,
  generated: false,
};
const column: MysqlColumn = {
  type: 'bigint',
  fullType: 'bigint(20)',
  nullable: false,
  hasDefault: false,
  collation: null,
  length: null,
  extra: '',
  engine: 'InnoDB',
};
const text = { type: 'varchar', fullType: 'varchar(255)', length: 255, collation: 'utf8mb4_bin' };

it.each([
  [{}, { type: 'varchar', fullType: 'varchar(20)' }, 'is varchar(20), the entity says bigint'],
  [{}, { type: 'decimal', fullType: 'decimal(20,0)' }, 'is decimal(20,0), the entity says bigint'],
  [{}, { type: 'int', fullType: 'int(11)' }, 'is int(11), the entity says bigint'],
  [{}, { fullType: 'bigint(20) unsigned' }, 'is bigint(20) unsigned, the entity says signed'],
  [{ type: 'int' }, {}, undefined],
  [{ generated: true }, {}, 'has no AUTO_INCREMENT, the entity says generated'],
  [{ generated: true }, { extra: 'auto_increment' }, undefined],
  [{ nullable: true }, {}, 'is NOT NULL, the entity says nullable'],
  [{ nullable: true }, { hasDefault: true }, undefined],
  [{}, { nullable: true }, undefined],
  [{}, { engine: 'MyISAM' }, 'is in a table of MyISAM, not InnoDB'],
  [{ type: 'varchar', length: 255 }, text, undefined],
  [{ type: 'varchar', length: 256 }, text, 'is varchar(255), the entity says 256 characters'],
  [{ type: 'varchar', length: 256 }, { ...text, type: 'text', length: 65_535 }, undefined],
  [
    { type: 'varchar', length: 20_000 },
    { ...text, type: 'text', fullType: 'text' },
    'is text, the entity says 20000 characters',
  ],
  [{ type: 'mediumtext' }, { ...text, type: 'text', fullType: 'text' }, 'is text, the entity says 4194303 characters'],
  ...['binary', 'varbinary', 'tinyblob', 'blob', 'mediumblob', 'longblob'].flatMap((type) => [
    [{ type: 'blob' }, { type, fullType: type }, undefined] as const,
    [{ type }, { type: 'longblob', fullType: 'longblob' }, undefined] as const,
    [{ type }, { type: 'text', fullType: 'text' }, `is text, the entity says ${type}`] as const,
  ]),
  ...['char', 'varchar', 'enum', 'set', 'uuid', 'tinytext', 'text', 'mediumtext', 'longtext', 'json'].map(
    (type) => [{ type: 'char', length: 20 }, { type, fullType: type }, undefined] as const,
  ),
  ...['tinyint', 'smallint', 'mediumint', 'int', 'bigint'].map(
    (type) => [{ type: 'tinyint' }, { type, fullType: type }, undefined] as const,
  ),
  [{ type: 'timestamp' }, { type: 'datetime', fullType: 'datetime' }, undefined],
  [{ type: 'double' }, { type: 'float', fullType: 'float' }, undefined],
  [{ unsigned: true }, {}, 'is bigint(20), the entity says unsigned'],
  [{ type: 'json' }, { ...text, type: 'longtext', length: 4_294_967_295 }, undefined],
  [{ type: 'varchar' }, { type: 'blob', fullType: 'blob' }, 'is blob, the entity says varchar'],
  [{ type: 'varchar', collation: 'utf8mb4_bin' }, text, undefined],
  [
    { type: 'varchar', collation: 'utf8mb4_bin' },
    { ...text, collation: 'latin1_swedish_ci' },
    'has the collation latin1_swedish_ci, the entity says utf8mb4_bin',
  ],
])('an entity %j and a column %j of MySQL: %p', (says, is, difference) => {
  expect(mysqlDifference({ ...entity, ...says }, { ...column, ...is })).toBe(difference);
});

it.each([
  [{}, { type: 'bigint' }, undefined],
  [{}, { type: 'integer' }, undefined],
  [{}, { type: 'varchar(20)' }, 'is varchar(20), the entity says bigint'],
  [{}, { type: 'decimal' }, 'is decimal, the entity says bigint'],
  [{}, { type: '' }, 'is of no type, the entity says bigint'],
  [{ type: 'varchar' }, { type: 'text' }, undefined],
  [{ type: 'datetime' }, { type: 'datetime' }, undefined],
  [{ type: 'float' }, { type: 'double' }, undefined],
  [{ nullable: true }, { type: 'bigint' }, 'is NOT NULL, the entity says nullable'],
])('an entity %j and a column %j of SQLite: %p', (says, is, difference) => {
  expect(sqliteDifference({ ...entity, ...says }, { nullable: false, hasDefault: false, ...is })).toBe(difference);
});

it('reads the columns of tables of MySQL, as information_schema has them', async () => {
  const row = {
    table_name: 'pet',
    name: 'id',
    type: 'BIGINT',
    full_type: 'BIGINT(20) UNSIGNED',
    nullable: 'NO',
    has_default: '0',
    collation: null,
    length: null,
    extra: 'AUTO_INCREMENT',
    engine: 'InnoDB',
  };
  const name = { ...row, name: 'name', type: 'varchar', full_type: 'varchar(50)', nullable: 'YES', has_default: 1 };
  const rows = [row, { ...name, collation: 'utf8mb4_bin', length: '50', extra: '' }, { ...row, table_name: 'toy' }];
  const ask = jest.fn((_sql: string, _names: string[]) => Promise.resolve(rows));
  const tables = await readMysqlTables(ask, ['pet', 'toy']);
  expect([...tables].map(([table, columns]) => [table, [...columns.keys()]])).toStrictEqual([
    ['pet', ['id', 'name']],
    ['toy', ['id']],
  ]);
  expect(tables.get('pet')?.get('id')).toStrictEqual({
    type: 'bigint',
    fullType: 'bigint(20) unsigned',
    nullable: false,
    hasDefault: false,
    collation: null,
    length: null,
    extra: 'auto_increment',
    engine: 'InnoDB',
  });
  expect(tables.get('pet')?.get('name')).toMatchObject({
    nullable: true,
    hasDefault: true,
    collation: 'utf8mb4_bin',
    length: 50,
  });
  expect(ask.mock.calls).toEqual([[expect.stringMatching(/table_name IN \(\?, \?\)$/), ['pet', 'toy']]]);
});

const Kettle = new EntitySchema({
  name: 'kettle',
  columns: { id: { type: 'int', primary: true, generated: 'increment' }, name: { type: 'varchar', nullable: true } },
});
const Lid = new EntitySchema({ name: 'lid', columns: { id: { type: 'int', primary: true } } });

it('takes an entity by the names and types of its engine', async () => {
  const Odd = new EntitySchema({
    name: 'odd',
    columns: {
      id: { type: 'bigint', primary: true, generated: 'increment' },
      plain: { type: 'bigint', name: 'plain_one', nullable: true },
      code: { type: 'varchar', length: 20, unique: true },
      text: { type: 'text', collation: 'NOCASE' },
    },
  });
  const source = await createDataSource(loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' }), [
    { entities: [Odd] },
  ]);
  const usual = { length: undefined, collation: undefined, nullable: false, unsigned: false, generated: false };
  expect(entityColumns(source, source.getMetadata(Odd))).toStrictEqual([
    { ...usual, name: 'id', type: 'integer', generated: true },
    { ...usual, name: 'plain_one', type: 'bigint', nullable: true },
    { ...usual, name: 'code', type: 'varchar', length: 20 },
    { ...usual, name: 'text', type: 'text', collation: 'NOCASE' },
  ]);
});

const MYSQL = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'mysql://ann:secret@127.0.0.1/store' });

it.each(
  Object.entries({
    ...{ integer: 'int', bool: 'tinyint', boolean: 'tinyint', real: 'double', 'double precision': 'double' },
    ...{ numeric: 'decimal', dec: 'decimal', fixed: 'decimal', nvarchar: 'varchar', 'national varchar': 'varchar' },
    'national char': 'char',
  }),
)('takes the type %s of an entity for the %s that the server makes of it', async (type, made) => {
  const Odd = new EntitySchema({
    name: 'odd',
    columns: { id: { type: 'int', primary: true }, value: { type: type as 'int' } },
  });
  const source = await createDataSource(MYSQL, [{ entities: [Odd] }]);
  const value = entityColumns(source, source.getMetadata(Odd)).find(({ name }) => name === 'value');
  expect(value).toMatchObject({ type: made });
  expect(mysqlDifference(value ?? entity, { ...column, type: made, fullType: made })).toBeUndefined();
});

it('is given no type that TypeORM does not take for the engine', async () => {
  const Odd = new EntitySchema({ name: 'odd', columns: { id: { type: 'int4', primary: true } } });
  await expect(createDataSource(MYSQL, [{ entities: [Odd] }])).rejects.toThrow(/int4.*not supported/);
});

it('names what SQLite has otherwise than the entities say, and whose it is', async () => {
  const config = loadConfig({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' });
  const owners = [{ name: 'kitchen', entities: [Kettle, Lid] }];
  const source = await createDataSource(config, owners);
  await source.initialize();
  const cure = "is not there, or the login may not see it; if no migration of feature 'kitchen' makes it, add one";
  const differences = () => compareSchema(source, owners);
  expect(await differences()).toStrictEqual([
    `Table kettle of entity kettle ${cure}`,
    `Table lid of entity lid ${cure}`,
  ]);
  await source.ask('CREATE TABLE kettle (id INTEGER PRIMARY KEY)');
  await source.ask('CREATE TABLE lid (id VARCHAR(5) PRIMARY KEY)');
  expect(await differences()).toStrictEqual([
    `Column kettle.name of entity kettle ${cure}`,
    'Column lid.id is varchar(5), the entity says integer',
  ]);
  expect(await compareSchema(source)).toContain(
    'Column kettle.name of entity kettle is not there, or the login may not see it',
  );
  await source.ask('ALTER TABLE kettle ADD COLUMN name VARCHAR(50)');
  await source.ask('DROP TABLE lid');
  // The table has more columns than the entity, for example from a newer release.
  await source.ask('CREATE TABLE lid (id INTEGER PRIMARY KEY, color TEXT)');
  expect(await differences()).toStrictEqual([]);
  await source.destroy();
});
