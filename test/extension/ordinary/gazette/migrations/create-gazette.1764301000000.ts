import { Table, type MigrationInterface, type QueryRunner, type TableColumnOptions } from 'typeorm';

const id: TableColumnOptions = {
  name: 'id',
  type: 'integer',
  isPrimary: true,
  isGenerated: true,
  generationStrategy: 'increment',
};
const text = (name: string, length: number, options: Partial<TableColumnOptions> = {}): TableColumnOptions => ({
  name,
  type: 'varchar',
  length: String(length),
  ...options,
});
const reference = (name: string, isPrimary = false): TableColumnOptions => ({ name, type: 'integer', isPrimary });
const cascade = (column: string, table: string) => ({
  columnNames: [column],
  referencedTableName: table,
  referencedColumnNames: ['id'],
  onDelete: 'CASCADE',
});

export class CreateGazette1764301000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const isMysql = runner.dataSource.options.type === 'mysql';
    const now = isMysql ? 'CURRENT_TIMESTAMP(6)' : "datetime('now')";
    const date = (name: string): TableColumnOptions => ({
      name,
      type: 'datetime',
      default: now,
      ...(isMysql && { precision: 6 }),
    });
    const tables = [
      new Table({
        name: 'gazette_user',
        columns: [
          id,
          text('email', 100, { isUnique: true }),
          text('username', 50, { isUnique: true }),
          text('password', 200),
          text('bio', 500, { isNullable: true }),
          text('image', 500, { isNullable: true }),
          { name: 'active', type: isMysql ? 'tinyint' : 'boolean', default: 1 },
          date('createdAt'),
          date('updatedAt'),
        ],
      }),
      new Table({
        name: 'gazette_follow',
        columns: [reference('followerId', true), reference('followedId', true), date('since')],
        foreignKeys: [cascade('followerId', 'gazette_user'), cascade('followedId', 'gazette_user')],
      }),
      new Table({ name: 'gazette_tag', columns: [id, text('name', 30, { isUnique: true })] }),
      new Table({
        name: 'gazette_article',
        columns: [
          id,
          text('slug', 150, { isUnique: true }),
          text('title', 120),
          text('description', 250, { default: "''" }),
          { name: 'body', type: 'text' },
          text('status', 20, { default: "'published'" }),
          { name: 'favouritesCount', type: 'integer', default: 0 },
          date('createdAt'),
          date('updatedAt'),
          { ...reference('authorId'), isNullable: true },
        ],
        foreignKeys: [cascade('authorId', 'gazette_user')],
      }),
      new Table({
        name: 'gazette_article_tag',
        columns: [reference('articleId', true), reference('tagId', true)],
        foreignKeys: [cascade('articleId', 'gazette_article'), cascade('tagId', 'gazette_tag')],
      }),
      new Table({
        name: 'gazette_favourite',
        columns: [reference('userId', true), reference('articleId', true)],
        foreignKeys: [cascade('userId', 'gazette_user'), cascade('articleId', 'gazette_article')],
      }),
      new Table({
        name: 'gazette_comment',
        columns: [
          id,
          text('body', 1000),
          date('createdAt'),
          { name: 'deletedAt', type: 'datetime', isNullable: true, ...(isMysql && { precision: 6 }) },
          { ...reference('articleId'), isNullable: true },
          { ...reference('authorId'), isNullable: true },
        ],
        foreignKeys: [cascade('articleId', 'gazette_article'), cascade('authorId', 'gazette_user')],
      }),
    ];
    for (const table of tables) await runner.createTable(table, true);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['comment', 'favourite', 'article_tag', 'article', 'tag', 'follow', 'user']) {
      await runner.dropTable(`gazette_${name}`, true);
    }
  }
}
