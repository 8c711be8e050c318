import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { createBatcher, inList, MOST_TOGETHER, queryEach } from '../platform/database/index.js';
import { sliceOf, type Slice } from '../platform/pagination.js';
import { Pet, type NewPet, type PetStatus } from './pet.entity.js';

/** The repository reads rows, because creating entities costs many times as much. */
const SELECT = 'SELECT id, name, category_id, status FROM pet';
/** The column of each filter, and an index on that column and the id. */
const FILTERS: Readonly<Record<keyof PetFilters, { readonly column: string; readonly index: string }>> = {
  status: { column: 'status', index: 'pet_status_id' },
};
const FILTER_NAMES = Object.keys(FILTERS) as (keyof PetFilters)[];

interface Row {
  readonly id: number | bigint;
  readonly name: string;
  readonly category_id: number | bigint;
  readonly status: PetStatus;
}

/** Conditions that all pets of a list meet. */
export interface PetFilters {
  readonly status?: PetStatus | undefined;
}

/** Selects one page of a list. */
export interface PetSelection extends PetFilters {
  /** Only pets with a greater id. 0n: all pets. */
  readonly after: bigint;
  /** The largest number of pets, 1 to 100. */
  readonly limit: number;
}

/** Pets in the database. Simultaneous calls share a statement. */
@Injectable()
export class PetsRepository {
  /** Stores a pet; it is durable when the promise resolves. */
  readonly insert: (pet: NewPet) => Promise<Pet>;
  readonly find: (id: bigint) => Promise<Pet | undefined>;
  /** One batcher per combination of filters. */
  private readonly pages = new Map<string, (selection: PetSelection) => Promise<Slice<Pet>>>();

  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {
    const { dataSource } = pets.manager;
    this.insert = createBatcher(dataSource, (given: readonly NewPet[]) => this.insertAll(given));
    this.find = createBatcher(dataSource, (ids: readonly bigint[]) => this.findAll(ids));
  }

  /** Ascending by id. The statement reads one row more than the limit, to know whether there are more. */
  list(selection: PetSelection): Promise<Slice<Pet>> {
    const filters = FILTER_NAMES.filter((name) => selection[name] !== undefined);
    const key = filters.join();
    let page = this.pages.get(key);
    if (page === undefined) this.pages.set(key, (page = this.pagesBy(filters)));
    return page(selection);
  }

  private pagesBy(filters: readonly (keyof PetFilters)[]): (selection: PetSelection) => Promise<Slice<Pet>> {
    const { dataSource } = this.pets.manager;
    const conditions = [...filters.map((name) => `${FILTERS[name].column} = ?`), 'id > ?'];
    const [first] = filters;
    // Without the hint, MariaDB reads this index from the first id of the value on, so deeper pages would cost more.
    const hint =
      first === undefined || dataSource.options.type !== 'mysql' ? '' : ` FORCE INDEX (${FILTERS[first].index})`;
    const sql = `${SELECT}${hint} WHERE ${conditions.join(' AND ')} ORDER BY id LIMIT ?`;
    const read = async (selections: readonly PetSelection[]): Promise<Slice<Pet>[]> => {
      const values = selections.map((one) => [...filters.map((name) => one[name]), one.after, one.limit + 1]);
      const results = await queryEach<Row>(dataSource, sql, values);
      return selections.map(({ limit }, at) => sliceOf((results[at] as Row[]).map(petFromRow).sort(byId), limit));
    };
    return createBatcher(dataSource, read, { shareEqual: true, most: MOST_TOGETHER });
  }

  private async insertAll(given: readonly NewPet[]): Promise<Pet[]> {
    // TypeORM sets the new id on each object.
    const pets = given.map((pet) => ({ ...pet }));
    await this.pets.insert(pets);
    return pets as Pet[];
  }

  private async findAll(ids: readonly bigint[]): Promise<(Pet | undefined)[]> {
    const { marks, values } = inList(ids);
    const rows = await this.pets.query<Row[]>(`${SELECT} WHERE id IN (${marks})`, values);
    const pets = new Map(rows.map((row) => [BigInt(row.id), petFromRow(row)]));
    return ids.map((id) => pets.get(id));
  }
}

const byId = (one: Pet, other: Pet): number => (one.id < other.id ? -1 : 1);

function petFromRow({ id, name, category_id: categoryId, status }: Row): Pet {
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), status };
}
