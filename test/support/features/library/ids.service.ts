import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type InsertResult } from 'typeorm';
import { Author, Book } from './entities.js';
import { Library } from './library.service.js';

/** Names of rows, with the ids that TypeORM reports for them. */
type Given = readonly { readonly id: bigint | number | undefined; readonly name: string }[];

/** Inserts rows in every way that TypeORM has. */
@Injectable()
export class Ids {
  constructor(
    @InjectRepository(Author) private readonly authors: Repository<Author>,
    @InjectRepository(Book) private readonly books: Repository<Book>,
    private readonly library: Library,
  ) {}

  /** For each way of inserting, the names of rows whose stored id differs from the id that TypeORM reports. */
  async wrong(name: string): Promise<Record<string, string[]>> {
    const ways: Record<string, () => Promise<Given>> = {
      insert: () => this.insert([{ name: `${name} alone` }]),
      insertSeveral: () => this.insert(named(`${name} several`)),
      insertMixed: () => this.insertMixed(`${name} mixed`),
      save: async () => [await this.authors.save({ name: `${name} saved` })],
      saveSeveral: () => this.authors.save(named(`${name} saved several`)),
      saveOwnIds: () => this.saveOwnIds(`${name} own`),
      cascade: () => this.cascade(`${name} cascade`),
      upsertOne: () => this.upsert([{ name: `${name} alone` }]),
      upsertSeveral: () => this.upsert([{ name: `${name} alone` }, ...named(`${name} upserted`)]),
      ignoreOne: () => this.ignore([{ name: `${name} alone` }]),
      ignoreSeveral: () => this.ignore([{ name: `${name} alone` }, ...named(`${name} ignored`)]),
    };
    const wrong: Record<string, string[]> = {};
    for (const [way, insert] of Object.entries(ways)) wrong[way] = await this.compare(await insert());
    return wrong;
  }

  private async insert(rows: { id?: bigint; name: string }[]): Promise<Given> {
    const { identifiers } = await this.authors.insert(rows);
    return rows.map(({ name }, index) => ({ name, id: identifiers[index]?.['id'] as bigint }));
  }

  private async upsert(rows: { name: string }[]): Promise<Given> {
    return told(rows, await this.authors.upsert(rows, ['name']));
  }

  private async ignore(rows: { name: string }[]): Promise<Given> {
    return told(rows, await this.authors.createQueryBuilder().insert().values(rows).orIgnore().execute());
  }

  private async insertMixed(name: string): Promise<Given> {
    const [last] = await this.authors.find({ order: { id: 'DESC' }, take: 1 });
    const own = (last?.id ?? 0n) + 1000n;
    return this.insert(named(name).map((row, index) => (index === 1 ? { ...row, id: own } : row)));
  }

  /** TypeORM reads the defaults of the database again after this `save`. */
  private async saveOwnIds(title: string): Promise<Given> {
    const last = Number(await this.books.maximum('id'));
    const own = [3, 1, 2].map((n) => Object.assign(this.library.book(`${title} ${n}`), { id: last + n }));
    return (await this.books.save(own)).map((book) => ({ id: book.id, name: book.title }));
  }

  private async cascade(name: string): Promise<Given> {
    const books = [1, 2, 3].map((n) => this.library.book(`${name} ${n}`));
    const author = await this.authors.save(this.authors.create({ name, books }));
    return [author, ...author.books.map(({ id, title }) => ({ id, name: title }))];
  }

  private async compare(given: Given): Promise<string[]> {
    const wrong: string[] = [];
    for (const { id, name } of given) {
      const [author, book] = [await this.authors.findOneBy({ name }), await this.books.findOneBy({ title: name })];
      const stored = author?.id ?? book?.id;
      if (stored !== id) wrong.push(`${name} is ${String(stored)}, not ${String(id)}`);
    }
    return wrong;
  }
}

/** Only rows for which an id was reported: no id is better than a wrong one. */
function told(rows: readonly { name: string }[], { identifiers }: InsertResult): Given {
  const given = rows.map(({ name }, index) => ({ name, id: (identifiers[index] as { id?: bigint } | undefined)?.id }));
  return given.filter(({ id }) => id !== undefined);
}

function named(name: string): { name: string }[] {
  return [1, 2, 3].map((n) => ({ name: `${name} ${n}` }));
}
