import {
  InsertQueryBuilder,
  InsertResult,
  SelectQueryBuilder,
  type EntityManager,
  type EntityMetadata,
  type ObjectLiteral,
} from 'typeorm';
import { PlatformMysqlDriver } from './mysql/mysql-driver.js';

/** TypeORM's query builder, whose locks on rows every engine takes, and whose inserts say no wrong id. */
export class PlatformQueryBuilder<Entity extends ObjectLiteral> extends SelectQueryBuilder<Entity> {
  override insert(): InsertQueryBuilder<Entity> {
    return new ExactInsertBuilder<Entity>(super.insert());
  }

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

/**
 * An INSERT of several rows that says the id of each, or none. MySQL says one number, from which the ids of all follow only
 * where it gave each row one; and where rows are passed over nobody says which they were.
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

  /** SQLite has RETURNING too, which TypeORM does not write for it. */
  protected override createInsertExpression(): string {
    const sql = super.createInsertExpression();
    if (this.dataSource.driver instanceof PlatformMysqlDriver) return sql;
    const returning = this.createReturningExpression('insert');
    return returning === '' ? sql : `${sql} RETURNING ${returning}`;
  }

  /** Whether some rows have an id of their own, and others get one. */
  private isMixed(rows: readonly ObjectLiteral[]): boolean {
    return this.ids.some((id) => new Set(rows.map((row) => id.getEntityValue(row) === undefined)).size > 1);
  }

  private get ids(): EntityMetadata['generatedColumns'] {
    return this.expressionMap.mainAlias?.metadata.generatedColumns ?? [];
  }

  private insertEach(rows: readonly ObjectLiteral[]): Promise<InsertResult> {
    const without = this.ids.map((id) => ({ id, rows: rows.filter((row) => id.getEntityValue(row) === undefined) }));
    const insert = async ({ queryRunner }: Pick<EntityManager, 'queryRunner'>): Promise<InsertResult> => {
      // The transaction may run again: what a try before this one gave was rolled back.
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
