import { ApiError, parseId, type Slice } from 'animal-store';
import { Injectable } from '@nestjs/common';
import type { NewThing, Thing } from './thing.entity.js';
import { thingNotFound } from './things.errors.js';
import { ThingsRepository, type ThingSelection } from './things.repository.js';

/** The rules of the business, without HTTP and SQL. */
@Injectable()
export class ThingsService {
  constructor(private readonly things: ThingsRepository) {}

  listThings(selection: ThingSelection): Promise<Slice<Thing>> {
    return this.things.list(selection);
  }

  createThing(thing: NewThing): Promise<Thing> {
    return this.things.insert(thing);
  }

  /**
   * @param id the text of a path parameter.
   * @throws {ApiError} thing_not_found.
   */
  async getThing(id: string): Promise<Thing> {
    const thingId = parseId(id);
    const thing = thingId === undefined ? null : await this.things.find(thingId);
    if (thing === null) throw new ApiError(thingNotFound);
    return thing;
  }
}
