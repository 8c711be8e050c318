import {
  InsertQueryBuilder,
  InsertResult,
  SelectQueryBuilder,
  type EntityManager,
  type EntityMetadata,
  type ObjectLiteral,
} from 'typeorm';
import { PlatformMysqlDriver } from './mysql/mysql-driver.js';

/** TypeORM's query builder. Every engine accepts its row locks, and its inserts never return a wrong id. */
export class PlatformQueryBuilder<Entity extends ObjectLiteral> extends SelectQueryBuilder<Entity> {
  override insert(): InsertQueryBuilder<Entity> {
    return new ExactInsertBuilder<Entity>(super.insert());
  }

  protected override createLockExpression(): string {
    const { driver } = this.dataSource;
    // TypeORM writes FOR SHARE for every server from version 8 on, and MariaDB does not support it.
    if (driver instanceof PlatformMysqlDriver) {
      const sql = super.createLockExpression();
      return driver.engine.isMariaDb ? sql.replace(/^ FOR SHARE/, ' LOCK IN SHARE MODE') : sql;
    }
    // A transaction of SQLite locks the whole file.
    return /^pessimistic_(read|write)$/.test(this.expressionMap.lockMode ?? '') ? '' : super.createLockExpression();
  }
}

/**
 * An INSERT of several rows that returns the id of each row, or no ids. MySQL returns only the first id. The other ids
 * follow from it only if the server generated the id of each row. If rows are ignored, the server does not say which
 * ones.
 */
class ExactInsertBuilder<Entity extends ObjectLiteral> extends InsertQueryBuilder<Entity> {
  override async execute(): Promise<InsertResult> {
    const rows = this.expressionMap.insertFromSelect === undefined ? this.getValueSets() : [];
    if (rows.length < 2 || !this.expressionMap.mainAlias?.hasMetadata) return super.execute();
    const saysEach = this.dataSource.driver.isReturningSqlSupported('insert');
    const { onIgnore, onUpdate } = this.expressionMap as { onIgnore: boolean; onUpdate?: object };
    if (onIgnore || (!saysEach && onUpdate !== undefined)) this.updateEntity(false);
    else if (!saysEach && this.isMixed(rows)) return this.insertEach(rows);
    return super.execute();
  }

  /** SQLite supports RETURNING too, but TypeORM does not write it for SQLite. */
  protected override createInsertExpression(): string {
    const sql = super.createInsertExpression();
    if (this.dataSource.driver instanceof PlatformMysqlDriver) return sql;
    const returning = this.createReturningExpression('insert');
    return returning === '' ? sql : `${sql} RETURNING ${returning}`;
  }

  /** Whether some rows have an id, and others need a generated one. */
  private isMixed(rows: readonly ObjectLiteral[]): boolean {
    return this.ids.some((id) => new Set(rows.map((row) => id.getEntityValue(row) === undefined)).size > 1);
  }

  private get ids(): EntityMetadata['generatedColumns'] {
    return this.expressionMap.mainAlias?.metadata.generatedColumns ?? [];
  }

  private insertEach(rows: readonly ObjectLiteral[]): Promise<InsertResult> {
    const without = this.ids.map((id) => ({ id, rows: rows.filter((row) => id.getEntityValue(row) === undefined) }));
    const insert = async ({ queryRunner }: Pick<EntityManager, 'queryRunner'>): Promise<InsertResult> => {
      // The transaction may run again. The ids that an earlier attempt generated were rolled back.
      for (const { id, rows } of without) for (const row of rows) id.setEntityValue(row, undefined);
      const result = new InsertResult();
      for (const row of rows) {
        const one = this.clone().values(row as never);
        if (queryRunner !== undefined) one.setQueryRunner(queryRunner);
        const { identifiers, generatedMaps } = await one.execute();
        result.identifiers.push(...identifiers);
        result.generatedMaps.push(...generatedMaps);
      }
      return result;
    };
    const { queryRunner: runner, dataSource } = this;
    return runner?.isTransactionActive === true
      ? insert(runner.manager)
      : (runner ?? dataSource).manager.transaction(insert);
  }
}
