import { Controller, Injectable, Module, Param, Post } from '@nestjs/common';
import { InjectEntityManager, InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { defineFeature, Idempotent, isDuplicateKey, isForeignKey } from 'animal-store';
import {
  Column,
  CreateDateColumn,
  DataSource,
  DeleteDateColumn,
  Entity,
  EntityManager,
  JoinColumn,
  ManyToOne,
  OneToMany,
  OptimisticLockVersionMismatchError,
  PrimaryGeneratedColumn,
  Repository,
  Table,
  TableForeignKey,
  VersionColumn,
  type MigrationInterface,
  type QueryRunner,
} from 'typeorm';

@Entity('library_author')
class Author {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  @Column({ length: 100, unique: true })
  name: string;

  @OneToMany(() => Book, (book) => book.author, { cascade: true })
  books: Book[];
}

@Entity('library_book')
class Book {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'varchar', length: 100 })
  title: string;

  @Column({ type: 'int', default: 7 })
  shelf: number;

  @Column({ type: 'bigint', name: 'serial_number' })
  serial: string;

  @Column({ type: 'decimal', precision: 10, scale: 2 })
  price: string;

  @Column({ type: 'boolean', name: 'is_lent' })
  isLent: boolean;

  @Column({ type: 'json' })
  tags: object;

  @Column({ type: 'blob' })
  cover: Buffer;

  @Column({ type: 'text' })
  summary: string;

  @Column({ type: 'datetime', precision: 3, name: 'bought_at' })
  boughtAt: Date;

  @Column({ type: 'date', name: 'printed_on' })
  printedOn: string;

  @VersionColumn()
  version: number;

  @CreateDateColumn({ name: 'created_at' })
  createdAt: Date;

  @DeleteDateColumn({ name: 'deleted_at' })
  deletedAt: Date | null;

  @ManyToOne(() => Author, (author) => author.books)
  @JoinColumn({ name: 'author_id' })
  author: Author;
}

/** By TypeORM's own words, the same on every engine. */
class CreateLibrary1764400000000 implements MigrationInterface {
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
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('library_book');
    await runner.dropTable('library_author');
  }
}

let serial = 9007199254740992n;

@Injectable()
class Library {
  constructor(
    @InjectRepository(Author) private readonly authors: Repository<Author>,
    @InjectRepository(Book) private readonly books: Repository<Book>,
    @InjectEntityManager() private readonly manager: EntityManager,
    private readonly dataSource: DataSource,
  ) {}

  book(title: string): Book {
    serial += 1n;
    return this.books.create({
      title,
      serial: String(serial),
      price: '19.90',
      isLent: false,
      tags: ['a', { b: 1 }],
      cover: Buffer.from([0, 255]),
      summary: 5 as unknown as string,
      boughtAt: new Date('2026-01-02T03:04:05.678Z'),
      printedOn: '2025-12-31',
    });
  }

  async write(name: string): Promise<Author> {
    return this.authors.save(this.authors.create({ name, books: [this.book('One'), this.book('Two')] }));
  }

  async values(name: string): Promise<object> {
    await this.write(name);
    const author = await this.authors.findOneOrFail({
      where: { name },
      relations: { books: true },
      order: { books: { id: 'ASC' } },
    });
    const { id, createdAt, cover, serial: number, ...book } = author.books[0] as Book;
    const kinds = [typeof author.id, typeof id, typeof number, createdAt instanceof Date, Buffer.isBuffer(cover)];
    return { ...book, cover: [...cover], kinds, books: author.books.length };
  }

  async queries(name: string): Promise<object> {
    const { id } = await this.write(name);
    const [page, count] = await this.books.findAndCount({ where: { author: { id } }, take: 1, order: { id: 'DESC' } });
    const joined = await this.authors
      .createQueryBuilder('author')
      .innerJoinAndSelect('author.books', 'book')
      .where('author.name = :name AND book.title IN (:...titles)', { name, titles: ['One', 'None'] })
      .getMany();
    const raw = await this.books
      .createQueryBuilder('book')
      .select('SUM(book.shelf) > 13', 'many')
      .addSelect('MAX(book.shelf)', 'most')
      .where('book.author_id = :id', { id })
      .getRawOne<object>();
    await this.books.softDelete({ author: { id }, title: 'One' });
    const left = await this.books.countBy({ author: { id } });
    const all = await this.books.count({ where: { author: { id } }, withDeleted: true });
    return {
      page: page.map(({ title }) => title),
      count,
      joined: joined.map(({ books }) => books.length),
      raw,
      left,
      all,
    };
  }

  async stale(name: string): Promise<string> {
    const { books } = await this.write(name);
    const [book] = books as [Book];
    book.title = 'Renamed';
    const { version } = await this.books.save(book);
    return this.dataSource.transaction(async (manager) => {
      const lock = { mode: 'optimistic', version: 1 } as const;
      const late = await manager.findOne(Book, { where: { id: book.id }, lock }).catch((error: unknown) => error);
      return `version ${version}, ${late instanceof OptimisticLockVersionMismatchError ? 'refused' : 'taken'}`;
    });
  }

  async violations(name: string): Promise<object> {
    const { id } = await this.write(name);
    const twice = await this.authors.insert({ name }).catch((error: unknown) => isDuplicateKey(error));
    const orphan = await this.books
      .insert(Object.assign(this.book('Orphan'), { author: { id: 4711n } }))
      .catch((error: unknown) => isForeignKey(error));
    const named = await this.authors.delete({ id }).catch((error: unknown) => isForeignKey(error));
    return { twice, orphan, named };
  }

  /** Repositories that were injected join; an inner transaction that fails leaves the outer one whole. */
  async together(name: string): Promise<object> {
    const fails = this.dataSource.transaction(async () => {
      await this.authors.insert({ name: `${name} lost` });
      await this.books.insert(this.book(`${name} lost`));
      throw new Error('rolled back');
    });
    const message = await fails.catch((error: unknown) => (error as Error).message);
    await this.manager.transaction(async () => {
      await this.authors.insert({ name: `${name} kept` });
      const inner = this.dataSource.transaction(async () => {
        await this.authors.insert({ name: `${name} inner` });
        throw new Error('inner');
      });
      await inner.catch(() => undefined);
      await this.books.save(this.book(`${name} kept`));
    });
    const authors = await this.authors
      .createQueryBuilder('a')
      .where('a.name LIKE :like', { like: `${name} %` })
      .getMany();
    const books = await this.books
      .createQueryBuilder('b')
      .where('b.title LIKE :like', { like: `${name} %` })
      .getMany();
    return {
      message,
      authors: authors.map((a) => a.name.slice(name.length + 1)),
      books: books.map((b) => b.title.slice(name.length + 1)),
    };
  }

  async ids(): Promise<object> {
    const start = 9007199254740993n + BigInt(Date.now()) * 1000n;
    await this.authors.query('INSERT INTO library_author (id, name) VALUES (?, ?)', [start, `first ${start}`]);
    const { identifiers } = await this.authors.insert([1, 2, 3].map((n) => ({ name: `${n} of ${start}` })));
    const saved = await this.authors.save({ name: `saved of ${start}` });
    const found = await this.authors.findBy(identifiers);
    return {
      apart: [...identifiers.map(({ id }) => String((id as bigint) - start)), String(saved.id - start)],
      found: found.map(({ name }) => name[0]).sort(),
    };
  }
}

@Controller('library')
class LibraryController {
  constructor(private readonly library: Library) {}

  @Post(':what/:name')
  @Idempotent()
  async run(@Param('what') what: string, @Param('name') name: string): Promise<object> {
    const { library } = this;
    const works: Record<string, () => Promise<unknown>> = {
      write: async () => ({ id: (await library.write(name)).id }),
      values: () => library.values(name),
      queries: () => library.queries(name),
      stale: () => library.stale(name),
      violations: () => library.violations(name),
      together: () => library.together(name),
      ids: () => library.ids(),
      fail: async () => {
        await library.write(name);
        throw new Error('after the write');
      },
    };
    return { answer: await works[what]?.() };
  }
}

@Module({
  imports: [TypeOrmModule.forFeature([Author, Book])],
  controllers: [LibraryController],
  providers: [Library],
})
class LibraryModule {}

export const library = defineFeature({
  name: 'library',
  platform: '^1.0.0',
  module: LibraryModule,
  migrations: [CreateLibrary1764400000000],
});
