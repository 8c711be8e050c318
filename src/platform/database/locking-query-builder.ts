import { SelectQueryBuilder, type ObjectLiteral } from 'typeorm';
import { PlatformMysqlDriver } from './mysql/mysql-driver.js';

/** TypeORM's query builder, whose locks on rows every engine takes. */
export class LockingQueryBuilder<Entity extends ObjectLiteral> extends SelectQueryBuilder<Entity> {
  protected override createLockExpression(): string {
    const { driver } = this.dataSource;
    // MariaDB has no FOR SHARE, which TypeORM writes for every server of a version from 8 on.
    if (driver instanceof PlatformMysqlDriver) {
      const sql = super.createLockExpression();
      return driver.engine.isMariaDb ? sql.replace(/^ FOR SHARE/, ' LOCK IN SHARE MODE') : sql;
    }
    // A transaction has the whole file of SQLite for itself.
    return /^pessimistic_(read|write)$/.test(this.expressionMap.lockMode ?? '') ? '' : super.createLockExpression();
  }
}
