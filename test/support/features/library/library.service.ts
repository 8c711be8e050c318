import { Injectable } from '@nestjs/common';
import { InjectEntityManager, InjectRepository } from '@nestjs/typeorm';
import { isDuplicateKey, isForeignKey } from 'animal-store';
import { DataSource, EntityManager, OptimisticLockVersionMismatchError, Repository } from 'typeorm';
import { Author, Book } from './entities.js';

let serial = 9007199254740992n;

@Injectable()
export class Library {
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

  /** Injected repositories join the transaction. An inner transaction that fails leaves the outer one intact. */
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
