import { Injectable } from '@nestjs/common';
import { Database, inList, MOST_PARTS, type Row, type SqlValue } from '../platform/database/index.js';
import { Batcher } from '../platform/batching/index.js';
import { sliceOf, type Slice } from '../platform/pagination/index.js';
import type { NewPet, Pet, PetStatus } from './pet.entity.js';

const COLUMNS = ['name', 'category_id', 'status'] as const;
const SELECT = `SELECT id, ${COLUMNS.join(', ')} FROM pet`;
const LIST = `${SELECT} WHERE id > ? ORDER BY id LIMIT ?`;
const LIST_BY_STATUS = `${SELECT} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;

/** Which part of the store a list is of. */
export interface PetSelection {
  /** Only pets with a greater id; 0n for all. */
  readonly after: bigint;
  /** How many at most, 1 to 100. */
  readonly limit: number;
  readonly status?: PetStatus | undefined;
}

/** Pets in the database. What is asked at the same time travels together; see `platform/batching`. */
@Injectable()
export class PetsRepository {
  private readonly inserts: Batcher<NewPet, Pet>;
  private readonly finds: Batcher<bigint, Pet | undefined>;
  private readonly pages: Batcher<PetSelection, Slice<Pet>>;
  private readonly pagesOfStatus: Batcher<PetSelection, Slice<Pet>>;

  constructor(private readonly database: Database) {
    this.inserts = new Batcher(database, (pets) => this.insertAll(pets));
    this.finds = new Batcher(database, (ids) => this.findAll(ids));
    const together = { shareEqual: true, most: MOST_PARTS };
    this.pages = new Batcher(database, (pages) => this.readAll(LIST, pages), together);
    this.pagesOfStatus = new Batcher(database, (pages) => this.readAll(LIST_BY_STATUS, pages), together);
  }

  /** Stores a pet; it is durable when the promise resolves. */
  insert(pet: NewPet): Promise<Pet> {
    return this.inserts.add(pet);
  }

  find(id: bigint): Promise<Pet | undefined> {
    return this.finds.add(id);
  }

  /** Ascending by id. One row more than asked is read, to know whether there is more. */
  list(selection: PetSelection): Promise<Slice<Pet>> {
    return (selection.status === undefined ? this.pages : this.pagesOfStatus).add(selection);
  }

  private async insertAll(pets: readonly NewPet[]): Promise<Pet[]> {
    const rows = pets.map((pet) => [pet.name, pet.categoryId, pet.status]);
    const ids = await this.database.insert('pet', COLUMNS, rows);
    return pets.map((pet, index) => ({ ...pet, id: ids[index] as bigint }));
  }

  private async findAll(ids: readonly bigint[]): Promise<(Pet | undefined)[]> {
    const { marks, values } = inList(ids);
    const rows = await this.database.query(`${SELECT} WHERE id IN (${marks})`, values);
    const pets = new Map(rows.map((row) => [row['id'] as bigint, petFromRow(row)]));
    return ids.map((id) => pets.get(id));
  }

  private async readAll(sql: string, selections: readonly PetSelection[]): Promise<Slice<Pet>[]> {
    const results = await this.database.queryEach(sql, selections.map(valuesOf));
    return selections.map(({ limit }, index) => sliceOf((results[index] as Row[]).map(petFromRow).sort(byId), limit));
  }
}

const byId = (one: Pet, other: Pet): number => (one.id < other.id ? -1 : 1);

function valuesOf({ after, limit, status }: PetSelection): SqlValue[] {
  const page = [after, BigInt(limit + 1)];
  return status === undefined ? page : [status, ...page];
}

function petFromRow(row: Row): Pet {
  return {
    id: row['id'] as bigint,
    name: row['name'] as string,
    categoryId: row['category_id'] as bigint,
    status: row['status'] as PetStatus,
  };
}
