import { Injectable } from '@nestjs/common';
import { Database, type Row } from '../platform/database/index.js';
import { sliceOf, type Slice } from '../platform/pagination/index.js';
import type { NewPet, Pet, PetStatus } from './pet.entity.js';

const COLUMNS = 'id, name, category_id, status';
const INSERT = 'INSERT INTO pet (name, category_id, status) VALUES (?, ?, ?)';
const FIND = `SELECT ${COLUMNS} FROM pet WHERE id = ?`;
const LIST = `SELECT ${COLUMNS} FROM pet WHERE id > ? ORDER BY id LIMIT ?`;
const LIST_BY_STATUS = `SELECT ${COLUMNS} FROM pet WHERE status = ? AND id > ? ORDER BY id LIMIT ?`;

/** Which part of the store a list is of. */
export interface PetSelection {
  /** Only pets with a greater id; 0n for all. */
  readonly after: bigint;
  /** How many at most, 1 to 100. */
  readonly limit: number;
  readonly status?: PetStatus | undefined;
}

/** Pets in the database. */
@Injectable()
export class PetsRepository {
  constructor(private readonly database: Database) {}

  /** Stores a pet; it is durable when the promise resolves. */
  async insert(pet: NewPet): Promise<Pet> {
    const { insertId } = await this.database.execute(INSERT, [pet.name, pet.categoryId, pet.status]);
    return { ...pet, id: insertId };
  }

  async find(id: bigint): Promise<Pet | undefined> {
    const [row] = await this.database.query(FIND, [id]);
    return row && petFromRow(row);
  }

  /** Ascending by id. One row more than asked is read, to know whether there is more. */
  async list({ after, limit, status }: PetSelection): Promise<Slice<Pet>> {
    const many = BigInt(limit + 1);
    const rows = await (status === undefined
      ? this.database.query(LIST, [after, many])
      : this.database.query(LIST_BY_STATUS, [status, after, many]));
    return sliceOf(rows.map(petFromRow), limit);
  }
}

function petFromRow(row: Row): Pet {
  return {
    id: row['id'] as bigint,
    name: row['name'] as string,
    categoryId: row['category_id'] as bigint,
    status: row['status'] as PetStatus,
  };
}
