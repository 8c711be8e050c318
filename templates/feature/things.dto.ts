import { Int64Property, PageQuery } from 'animal-store';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString, Length } from 'class-validator';
import type { Thing } from './thing.entity.js';

/** The body of `createThing`. */
@ApiSchema({ name: 'NewThing' })
export class CreateThingDto {
  @ApiProperty({ description: 'The name.', example: 'First' })
  @IsString()
  @Length(1, 255)
  name: string;
}

/** The object as clients see it. */
@ApiSchema({ name: 'Thing' })
export class ThingDto extends CreateThingDto {
  @Int64Property({ minimum: 1n, description: 'Assigned by the service.', example: 1n })
  id: bigint;
}

/** The query of `listThings`. Add filters here. */
export class ListThingsQuery extends PageQuery {}

/** Field by field, so that clients do not see a new column of the table. */
export function thingDto({ id, name }: Thing): ThingDto {
  return { id, name };
}
