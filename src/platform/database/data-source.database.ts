import { QueryFailedError } from 'typeorm';
import { Database, type Row, type SqlValue, type StatementOptions, type Written } from './database.js';
import { insertStatement } from './insert-statement.js';
import { translateMysqlFault, type MysqlFault } from './mysql-failure.js';
import type { PlatformDataSource } from './platform-data-source.js';
import { translateSqliteFault } from './sqlite-failure.js';
import { OutcomeUnknownError, unavailable } from './unavailable.js';
import { MOST_PARTS, PART, requireColumns, unionStatement } from './union-statement.js';

/** `Database` over the data source, until every feature uses repositories. */
export class DataSourceDatabase extends Database {
  readonly dialect: 'mysql' | 'sqlite';

  constructor(private readonly dataSource: PlatformDataSource) {
    super();
    this.dialect = dataSource.options.type === 'mysql' ? 'mysql' : 'sqlite';
  }

  async query<T extends Row = Row>(
    sql: string,
    parameters: readonly SqlValue[] = [],
    options: StatementOptions = {},
  ): Promise<T[]> {
    const rows = await this.translating(() =>
      options.timeoutMs === undefined
        ? this.dataSource.query<Record<string, unknown>[]>(sql, parameters)
        : this.dataSource.ask<Record<string, unknown>[]>(sql, parameters, { isGated: true, ...options }),
    );
    for (const row of rows) {
      for (const [name, value] of Object.entries(row)) {
        if (name !== PART && Number.isSafeInteger(value)) row[name] = BigInt(value as number);
      }
    }
    return rows as T[];
  }

  async queryEach(sql: string, parameters: readonly (readonly SqlValue[])[]): Promise<Row[][]> {
    requireColumns(sql);
    if (this.dialect === 'sqlite') return Promise.all(parameters.map((values) => this.query(sql, values)));
    const results: Row[][] = [];
    for (let from = 0; from < parameters.length; from += MOST_PARTS) {
      results.push(...(await this.queryTogether(sql, parameters.slice(from, from + MOST_PARTS))));
    }
    return results;
  }

  private async queryTogether(sql: string, parameters: readonly (readonly SqlValue[])[]): Promise<Row[][]> {
    const [first = []] = parameters;
    if (parameters.length === 1) return [await this.query(sql, first)];
    const results: Row[][] = parameters.map(() => []);
    for (const row of await this.query(unionStatement(sql, parameters.length), parameters.flat())) {
      results[row[PART] as number]?.push(row);
    }
    return results;
  }

  async execute(sql: string, parameters: readonly SqlValue[] = []): Promise<Written> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const { affected, ...result } = await this.translating(() => runner.query(sql, [...parameters], true));
      const raw = result.raw as bigint | { insertId: number };
      return { affectedRows: affected ?? 0, insertId: BigInt(typeof raw === 'bigint' ? raw : raw.insertId) };
    } finally {
      await runner.release();
    }
  }

  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly (readonly SqlValue[])[],
  ): Promise<readonly bigint[]> {
    const sql = insertStatement(table, columns, rows.length);
    if (this.dialect === 'sqlite' || this.dataSource.driver.isReturningSqlSupported('insert')) {
      return (await this.query(`${sql} RETURNING id`, rows.flat())).map((row) => row['id'] as bigint);
    }
    const { insertId, idStep } = await this.translating(() =>
      this.dataSource.query<{ insertId: number | string; idStep: bigint }>(sql, rows.flat()),
    );
    return rows.map((_, index) => BigInt(insertId) + BigInt(index) * idStep);
  }

  get inTransaction(): boolean {
    return this.dataSource.inTransaction;
  }

  transaction<T>(work: () => Promise<T>, isolation?: 'READ UNCOMMITTED'): Promise<T> {
    if (this.inTransaction) return work();
    return this.translating(() => this.dataSource.transact(isolation, work));
  }

  private async translating<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof QueryFailedError)) throw error;
      const fault = error.driverError as MysqlFault & { outcome?: string; phase?: string };
      if (fault.outcome === 'unknown') throw new OutcomeUnknownError(error);
      if (fault.phase === 'connect') throw unavailable(fault);
      const code = fault.code ?? '';
      throw code.startsWith('SQLITE_') ? translateSqliteFault(fault, code) : translateMysqlFault(fault);
    }
  }
}
