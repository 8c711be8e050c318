import { expect, it } from '@jest/globals';
import { mysqlDifference, type MysqlColumn } from './mysql-columns.js';
import { sqliteDifference } from './sqlite-columns.js';

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
  [{ type: 'integer' }, { type: 'int', fullType: 'int' }, undefined],
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
