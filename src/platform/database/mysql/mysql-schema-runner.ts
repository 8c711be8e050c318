import { Table, TableColumn } from 'typeorm';
import { Query } from 'typeorm/driver/Query.js';
import { MysqlQueryRunner } from 'typeorm/driver/mysql/MysqlQueryRunner.js';
import type { PlatformMysqlDriver } from './mysql-driver.js';

/** TypeORM's way to change tables, that knows MariaDB, and keeps what a column holds. */
export class MysqlSchemaRunner extends MysqlQueryRunner {
  declare readonly driver: PlatformMysqlDriver;

  /** TypeORM would drop a column whose type or length changes, and add it anew, empty. */
  override async changeColumn(
    tableOrName: Table | string,
    columnOrName: TableColumn | string,
    changed: TableColumn,
  ): Promise<void> {
    const table = typeof tableOrName === 'string' ? await this.getCachedTable(tableOrName) : tableOrName;
    const column =
      typeof columnOrName === 'string' ? table.columns.find(({ name }) => name === columnOrName) : columnOrName;
    const isOther = column !== undefined && (column.type !== changed.type || column.length !== changed.length);
    if (!isOther || column.generatedType !== undefined || changed.generatedType !== undefined)
      return super.changeColumn(table, column ?? columnOrName, changed);
    const retyped = column.clone();
    Object.assign(retyped, {
      type: changed.type,
      length: changed.length,
      precision: changed.precision,
      scale: changed.scale,
    });
    await this.executeQueries(this.modify(table, retyped), this.modify(table, column));
    const changedTable = table.clone();
    changedTable.columns = table.columns.map((each) => (each.name === column.name ? retyped : each));
    this.replaceCachedTable(table, changedTable);
    return super.changeColumn(table, retyped, changed);
  }

  /** MariaDB gives defaults as SQL, NULL too; TypeORM expects that of the type `mariadb` alone. */
  protected override async loadTables(names?: string[]): Promise<Table[]> {
    const tables = await super.loadTables(names);
    if (!this.driver.engine.isMariaDb) return tables;
    for (const column of tables.flatMap(({ columns }) => columns)) {
      const text: unknown = column.default;
      if (text === "'NULL'") column.default = undefined;
      else if (typeof text === 'string' && text.startsWith("''")) column.default = text.slice(1, -1);
    }
    return tables;
  }

  private modify(table: Table, column: TableColumn): Query {
    return new Query(`ALTER TABLE ${this.escapePath(table)} MODIFY ${this.buildCreateColumnSql(column, true)}`);
  }
}
