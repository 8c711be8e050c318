import { Int64Property, PageQuery } from 'animal-store';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import type { Thing } from './thing.entity.js';

/** The body of `createThing`. */
@ApiSchema({ name: 'NewThing' })
export class CreateThingDto {
  @ApiProperty({ description: 'What it is called.', example: 'First' })
  @IsString()
  @Length(1, 255)
  name: string;
}

/** One as clients see it. */
@ApiSchema({ name: 'Thing' })
export class ThingDto extends CreateThingDto {
  @Int64Property({ minimum: 1n, description: 'Given by the service.', example: 1n })
  id: bigint;
}

/** The query of `listThings`: what a list can be filtered by goes here. */
export class ListThingsQuery extends PageQuery {}

/** Field by field, so that a column added to the table is not one that clients see. */
export function thingDto({ id, name }: Thing): ThingDto {
  return { id, name };
}
