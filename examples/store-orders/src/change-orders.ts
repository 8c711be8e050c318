import { TableColumn, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Changes a table on MySQL, MariaDB and SQLite with TypeORM's methods. MySQL commits each step on its own. A migration
 * that is killed halfway runs again from its beginning, so each step first checks whether it is done.
 */
export class ChangeOrders1764374400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasColumn('store_order', 'note'))) {
      const note = new TableColumn({ name: 'note', type: 'varchar', length: '200', isNullable: true });
      await runner.addColumn('store_order', note);
    }
    await setLength(runner, 'status', '32');
    if (!(await hasIndex(runner))) {
      await runner.createIndex('store_order', new TableIndex({ name: INDEX, columnNames: ['pet_id'] }));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    if (await hasIndex(runner)) await runner.dropIndex('store_order', INDEX);
    await setLength(runner, 'status', '16');
    if (await runner.hasColumn('store_order', 'note')) await runner.dropColumn('store_order', 'note');
  }
}

const INDEX = 'store_order_pet_id';

async function hasIndex(runner: QueryRunner): Promise<boolean> {
  const table = await runner.getTable('store_order');
  return table?.indices.some(({ name }) => name === INDEX) ?? false;
}

async function setLength(runner: QueryRunner, name: string, length: string): Promise<void> {
  const column = (await runner.getTable('store_order'))?.findColumnByName(name);
  if (column === undefined) throw new Error(`store_order has no column ${name}`);
  const changed = column.clone();
  changed.length = length;
  await runner.changeColumn('store_order', column, changed);
}
