import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { createBatcher } from '../platform/batching/index.js';
import { inList, MOST_TOGETHER, queryEach } from '../platform/database/index.js';
import { sliceOf, type Slice } from '../platform/pagination/index.js';
import { Pet, type NewPet, type PetStatus } from './pet.entity.js';

/** Rows, since to make entities of them costs many times as much. */
const SELECT = 'SELECT id, name, category_id, status FROM pet';
const LIST = `${SELECT} WHERE id > ? ORDER BY id LIMIT ?`;
const LIST_BY_STATUS = `${SELECT} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;

interface Row {
  readonly id: number | bigint;
  readonly name: string;
  readonly category_id: number | bigint;
  readonly status: PetStatus;
}

/** Which part of the store a list is of. */
export interface PetSelection {
  /** Only pets with a greater id; 0n for all. */
  readonly after: bigint;
  /** How many at most, 1 to 100. */
  readonly limit: number;
  readonly status?: PetStatus | undefined;
}

/** Pets in the database. What is asked at the same time travels together. */
@Injectable()
export class PetsRepository {
  /** Stores a pet; it is durable when the promise resolves. */
  readonly insert: (pet: NewPet) => Promise<Pet>;
  readonly find: (id: bigint) => Promise<Pet | undefined>;
  private readonly page: (selection: PetSelection) => Promise<Slice<Pet>>;
  private readonly pageOfStatus: (selection: PetSelection) => Promise<Slice<Pet>>;

  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {
    const { dataSource } = pets.manager;
    this.insert = createBatcher(dataSource, (given: readonly NewPet[]) => this.insertAll(given));
    this.find = createBatcher(dataSource, (ids: readonly bigint[]) => this.findAll(ids));
    const together = { shareEqual: true, most: MOST_TOGETHER };
    const readAll = (sql: string) => (selections: readonly PetSelection[]) => this.readAll(sql, selections);
    this.page = createBatcher(dataSource, readAll(LIST), together);
    this.pageOfStatus = createBatcher(dataSource, readAll(LIST_BY_STATUS), together);
  }

  /** Ascending by id. One row more than asked is read, to know whether there is more. */
  list(selection: PetSelection): Promise<Slice<Pet>> {
    return selection.status === undefined ? this.page(selection) : this.pageOfStatus(selection);
  }

  private async insertAll(given: readonly NewPet[]): Promise<Pet[]> {
    // TypeORM gives each the id that it got.
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

  private async readAll(sql: string, selections: readonly PetSelection[]): Promise<Slice<Pet>[]> {
    const results = await queryEach<Row>(this.pets.manager.dataSource, sql, selections.map(valuesOf));
    return selections.map(({ limit }, index) => sliceOf((results[index] as Row[]).map(petFromRow).sort(byId), limit));
  }
}

const byId = (one: Pet, other: Pet): number => (one.id < other.id ? -1 : 1);

function valuesOf({ after, limit, status }: PetSelection): unknown[] {
  const page = [after, limit + 1];
  return status === undefined ? page : [status, ...page];
}

function petFromRow({ id, name, category_id: categoryId, status }: Row): Pet {
  return { id: BigInt(id), name, categoryId: BigInt(categoryId), status };
}
