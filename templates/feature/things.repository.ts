import { Database, sliceOf, type Row, type Slice } from 'animal-store';
import { Injectable } from '@nestjs/common';
import type { NewThing, Thing } from './thing.entity.js';

const INSERT = 'INSERT INTO things_thing (name) VALUES (?)';
const FIND = 'SELECT id, name FROM things_thing WHERE id = ?';
const LIST = 'SELECT id, name FROM things_thing WHERE id > ? ORDER BY id LIMIT ?';

/** Which part of the table a list is of. */
export interface ThingSelection {
  /** Only those with a greater id; 0n for all. */
  readonly after: bigint;
  /** How many at most. */
  readonly limit: number;
}

/** The SQL, the same on both engines. */
@Injectable()
export class ThingsRepository {
  constructor(private readonly database: Database) {}

  async insert(thing: NewThing): Promise<Thing> {
    const { insertId } = await this.database.execute(INSERT, [thing.name]);
    return { ...thing, id: insertId };
  }

  async find(id: bigint): Promise<Thing | undefined> {
    const [row] = await this.database.query(FIND, [id]);
    return row && thingFromRow(row);
  }

  /** Ascending by id. One row more than asked is read, to know whether there is more. */
  async list({ after, limit }: ThingSelection): Promise<Slice<Thing>> {
    const rows = await this.database.query(LIST, [after, BigInt(limit + 1)]);
    return sliceOf(rows.map(thingFromRow), limit);
  }
}

function thingFromRow(row: Row): Thing {
  return { id: row['id'] as bigint, name: row['name'] as string };
}
