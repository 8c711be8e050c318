import { sliceOf, type Slice } from 'animal-store';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import { Thing, type NewThing } from './thing.entity.js';

/** The rows that a list returns. */
export interface ThingSelection {
  /** Only rows with a greater id; 0n for all rows. */
  readonly after: bigint;
  /** The maximum number of rows; at least 1. */
  readonly limit: number;
}

@Injectable()
export class ThingsRepository {
  constructor(@InjectRepository(Thing) private readonly things: Repository<Thing>) {}

  async insert(thing: NewThing): Promise<Thing> {
    const created = this.things.create(thing);
    await this.things.insert(created);
    return created;
  }

  find(id: bigint): Promise<Thing | null> {
    return this.things.findOneBy({ id });
  }

  /** Ascending by id. Reads one row more than `limit`, to know whether there is a next page. */
  async list({ after, limit }: ThingSelection): Promise<Slice<Thing>> {
    const page = { where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: limit + 1 } as const;
    return sliceOf(await this.things.find(page), limit);
  }
}
