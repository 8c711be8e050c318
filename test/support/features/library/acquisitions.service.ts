import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  DataSource,
  EventSubscriber,
  Repository,
  type EntitySubscriberInterface,
  type FindOptionsWhere,
  type InsertEvent,
} from 'typeorm';
import { SHELVES } from './create-library.js';
import { Author, Book, Entry, Shelf } from './entities.js';
import { Library } from './library.service.js';

/**
 * A subscriber as the documentation of TypeORM and Nest has it: a provider that adds itself. It writes in the
 * transaction of the insert.
 */
@Injectable()
@EventSubscriber()
export class Journal implements EntitySubscriberInterface<Author> {
  constructor(dataSource: DataSource) {
    dataSource.subscribers.push(this);
  }

  listenTo(): typeof Author {
    return Author;
  }

  async afterInsert({ entity, manager }: InsertEvent<Author>): Promise<void> {
    await manager.insert(Entry, { author: entity.name });
  }
}

/** What ordinary features do with several tables at once. Each operation is atomic. */
@Injectable()
export class Acquisitions {
  constructor(
    @InjectRepository(Author) private readonly authors: Repository<Author>,
    @InjectRepository(Book) private readonly books: Repository<Book>,
    @InjectRepository(Shelf) private readonly shelves: Repository<Shelf>,
    private readonly library: Library,
    private readonly dataSource: DataSource,
  ) {}

  /** Inserts two books on a shelf whose row is locked, and softly deletes one of them. */
  acquire(name: string): Promise<Author> {
    return this.dataSource.transaction(async () => {
      const id = 1 + (Number(/\d+$/.exec(name)?.[0] ?? 0) % SHELVES);
      const shelf = await this.lock({ id });
      const books = [this.library.book(`${name}, one`), this.library.book(`${name}, two`)];
      const author = await this.authors.save(this.authors.create({ name, books }));
      await this.books.softRemove(author.books[1] as Book);
      shelf.books += books.length;
      await this.shelves.save(shelf);
      return author;
    });
  }

  /** Inserts the same author by one `save`, in the transaction that TypeORM makes. */
  note(name: string): Promise<Author> {
    const books = [this.library.book(`${name}, one`), this.library.book(`${name}, two`)];
    return this.authors.save(this.authors.create({ name, books }));
  }

  /** Locks two shelves in the order of its arguments, so that two calls can deadlock. */
  move(from: number, to: number): Promise<number> {
    return this.dataSource.transaction(async () => {
      const [giver, taker] = [await this.lock({ id: from }), await this.lock({ id: to })];
      giver.books -= 1;
      taker.books += 1;
      await this.shelves.save([giver, taker]);
      return taker.books;
    });
  }

  page(skip: number): Promise<[Author[], number]> {
    return this.authors.findAndCount({ relations: { books: true }, order: { id: 'DESC' }, skip, take: 5 });
  }

  /** Shared locks do not wait for each other. */
  async compare(first: number, second: number): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const query = manager.createQueryBuilder(Shelf, 'shelf').where('shelf.id IN (:...ids)', { ids: [first, second] });
      const [one, other] = await query.orderBy('shelf.books').setLock('pessimistic_read').getMany();
      return one?.books === other?.books;
    });
  }

  /**
   * Programming errors: a lock outside a transaction, a statement after the end of its transaction, an unknown column.
   */
  async mistake(kind: string, name: string): Promise<unknown> {
    if (kind === 'unlocked') return this.lock({ id: 1 });
    if (kind === 'column')
      return this.authors.createQueryBuilder('author').where('author.nmae = :name', { name }).getOne();
    const kept = await this.dataSource.transaction((manager) => Promise.resolve(manager));
    return kept.getRepository(Author).insert({ name });
  }

  private lock(where: FindOptionsWhere<Shelf>): Promise<Shelf> {
    return this.shelves.findOneOrFail({ where, lock: { mode: 'pessimistic_write' } });
  }
}
