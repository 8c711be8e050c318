import { Int64Property, PageQuery, TextProperty } from 'animal-store';
import { ApiSchema } from '@nestjs/swagger';
import type { Thing } from './thing.entity.js';

/** The body of `createThing`. */
@ApiSchema({ name: 'NewThing' })
export class NewThingBody {
  @TextProperty({ maxLength: 255, description: 'What it is called.', example: 'First' })
  name: string;
}

/** One as clients see it. */
@ApiSchema({ name: 'Thing' })
export class ThingBody {
  @Int64Property({ minimum: 1n, description: 'Given by the service.', example: 1n })
  id: bigint;

  @TextProperty({ maxLength: 255, description: 'What it is called.', example: 'First' })
  name: string;
}

/** The query of `listThings`: what a list can be filtered by goes here. */
export class ListThingsQuery extends PageQuery {}

/** Field by field, so that a column added to the table is not one that clients see. */
export function thingBody({ id, name }: Thing): ThingBody {
  return { id, name };
}
