import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { builtProgram, projectFolder, runCommand, type CommandResult } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';

const before = hosting({ features: ['features/shop-before.feature.ts'] });
const after = hosting({ features: ['features/shop-before.feature.ts', 'features/shop-after.feature.ts'] });

onEachEngine('a table that is changed', (engine) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await engine.createDatabase();
    expect(await runCommand(database, ['migrate'], before.env, before.program)).toMatchObject({ code: 0 });
    await database.query(
      "INSERT INTO store_order (id, pet_id, quantity, status, placed_at) VALUES (1, 5, 2, 'approved', 9), (2, 6, 3, 'placed', 8)",
    );
    await database.query('INSERT INTO parcel (id, order_id) VALUES (1, 1), (2, 1), (3, 2)');
  });

  afterAll(() => database.drop());

  const orders = (columns: string) => database.query(`SELECT ${columns} FROM store_order ORDER BY id`);
  const parcels = () => database.query('SELECT id, order_id FROM parcel ORDER BY id');
  const kept = [
    { id: 1n, order_id: 1n },
    { id: 2n, order_id: 1n },
    { id: 3n, order_id: 2n },
  ];
  const expectOrders = async (): Promise<void> => {
    expect(await orders('id, pet_id, quantity, status, placed_at')).toEqual([
      { id: 1n, pet_id: 5n, quantity: 2n, status: 'approved', placed_at: 9n },
      { id: 2n, pet_id: 6n, quantity: 3n, status: 'placed', placed_at: 8n },
    ]);
  };
  /** The definition of a table, by SQLite or MySQL. */
  const schema = async (table: string): Promise<string> => {
    const [sqlite, mysql] = [
      "SELECT group_concat(sql, ' ') AS text FROM sqlite_schema WHERE tbl_name = ?",
      'SHOW CREATE TABLE ',
    ];
    const rows = engine.name === 'sqlite' ? await database.query(sqlite, [table]) : await database.query(mysql + table);
    return JSON.stringify(rows).toLowerCase();
  };

  it('keeps its rows, those that refer to it, and takes more then', async () => {
    expect(await runCommand(database, ['migrate'], after.env, after.program)).toMatchObject({ code: 0 });
    await expectOrders();
    expect(await parcels()).toEqual(kept);
    expect(await orders('note')).toEqual([{ note: null }, { note: null }]);
    expect(await database.query('SELECT DISTINCT weight FROM parcel')).toEqual([{ weight: 7n }]);
    const text = await schema('store_order');
    for (const part of ['varchar(32)', 'varchar(200)', 'store_order_pet_id', 'store_order_status_id'])
      expect(text).toContain(part);
    expect(text).toMatch(/auto_?increment/);
    expect(await schema('parcel')).toMatch(
      /references.{1,3}store_order.*on delete cascade.*parcel_weight|parcel_weight.*references.{1,3}store_order.*on delete cascade/,
    );
  });

  it('has all of it again as it was before, once that is taken back', async () => {
    const off = { ...after.env, FEATURES_OFF: 'shop-changes' };
    const undone = await runCommand(database, ['migrate', '--undo', 'shop-changes', '--yes'], off, after.program);
    expect(undone).toMatchObject({ code: 0 });
    await expectOrders();
    expect(await parcels()).toEqual(kept);
    const text = `${await schema('store_order')} ${await schema('parcel')}`;
    expect(text).toContain('varchar(16)');
    expect(text).not.toMatch(/varchar\(32\)|note|weight|store_order_pet_id/);
    // Foreign keys are checked again.
    await database.query('DELETE FROM parcel');
  });
});

onEachEngine('npm run migration:generate', (engine) => {
  const folder = scratchFolder('generated');
  let database: TestDatabase;

  /** Runs the script of package.json. */
  const generate = (...args: string[]): Promise<CommandResult> => {
    const words = ['migration:generate', '--pretty', '--dataSource', builtProgram('data-source.js'), ...args];
    return runCommand(database, words, {}, join(projectFolder, 'node_modules/typeorm/cli.js'));
  };

  beforeAll(async () => {
    database = await engine.createDatabase();
    expect(await runCommand(database, ['migrate'])).toMatchObject({ code: 0 });
  });

  afterAll(async () => {
    await database.drop();
    removeScratch(folder);
  });

  it('finds nothing to do in tables that were migrated', async () => {
    const { code, stdout } = await generate('--check', 'none');
    expect([code, stdout]).toEqual([0, expect.stringContaining('No changes in database schema were found')]);
  });

  it('writes what is missing, after which nothing is', async () => {
    await database.query("INSERT INTO pet (name, category_id, status) VALUES ('Kept', 1, 'available')");
    const retype = 'ALTER TABLE pet MODIFY name VARCHAR(100) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL';
    if (engine.name === 'mysql') await database.query(retype);
    await database.query(`DROP INDEX pet_status_id ${engine.name === 'mysql' ? 'ON pet' : ''}`);
    const generated = await generate(join(folder, 'add-index'));
    expect(generated).toMatchObject({ code: 0 });
    const [file = ''] = readdirSync(folder);
    const [up = ''] = readFileSync(join(folder, file), 'utf8').split('async down(');
    for (const [, sql = ''] of up.matchAll(/query\(`([^]*?[^\\])`\);/g))
      await database.query(sql.replaceAll('\\`', '`'));
    expect(await generate('--check', 'none')).toMatchObject({ code: 0 });
    expect(await database.query('SELECT name FROM pet')).toEqual([{ name: 'Kept' }]);
  });
});
