import { Table, TableForeignKey, type MigrationInterface, type QueryRunner } from 'typeorm';

/** The number of rows to lock. */
export const SHELVES = 8;

/** Uses TypeORM's schema API, which is the same on every engine. */
export class CreateLibrary1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const mysql = runner.dataSource.options.type === 'mysql';
    const bigId = { name: 'id', isPrimary: true, isGenerated: true, generationStrategy: 'increment' } as const;
    const authors = [
      { ...bigId, type: mysql ? 'bigint' : 'integer' },
      { name: 'name', type: 'varchar', length: '100', isUnique: true },
    ];
    await runner.createTable(new Table({ name: 'library_author', columns: authors }), true);
    const books = [
      { ...bigId, type: mysql ? 'int' : 'integer' },
      { name: 'title', type: 'varchar', length: '100' },
      { name: 'shelf', type: mysql ? 'int' : 'integer', default: '7' },
      { name: 'serial_number', type: 'bigint' },
      { name: 'price', type: 'decimal', precision: 10, scale: 2 },
      { name: 'is_lent', type: mysql ? 'tinyint' : 'boolean' },
      { name: 'tags', type: 'json' },
      { name: 'cover', type: 'blob' },
      { name: 'summary', type: 'text' },
      { name: 'bought_at', type: 'datetime', precision: 3 },
      { name: 'printed_on', type: 'date' },
      { name: 'version', type: mysql ? 'int' : 'integer' },
      {
        name: 'created_at',
        type: 'datetime',
        precision: 6,
        default: mysql ? 'CURRENT_TIMESTAMP(6)' : "(datetime('now'))",
      },
      { name: 'deleted_at', type: 'datetime', precision: 6, isNullable: true },
      { name: 'author_id', type: 'bigint', isNullable: true },
    ];
    const [columnNames, referencedColumnNames] = [['author_id'], ['id']];
    const author = new TableForeignKey({ columnNames, referencedColumnNames, referencedTableName: 'library_author' });
    await runner.createTable(new Table({ name: 'library_book', columns: books, foreignKeys: [author] }), true);
    const int = mysql ? 'int' : 'integer';
    const shelves = [
      { name: 'id', type: int, isPrimary: true },
      { name: 'books', type: int },
    ];
    await runner.createTable(new Table({ name: 'library_shelf', columns: shelves }), true);
    const entries = [
      { ...bigId, type: int },
      { name: 'author', type: 'varchar', length: '100' },
    ];
    await runner.createTable(new Table({ name: 'library_entry', columns: entries }), true);
    for (let id = 1; id <= SHELVES; id += 1) await runner.query(`INSERT INTO library_shelf VALUES (${id}, 0)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('library_entry');
    await runner.dropTable('library_shelf');
    await runner.dropTable('library_book');
    await runner.dropTable('library_author');
  }
}
