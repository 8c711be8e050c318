import { ApiSchema } from '@nestjs/swagger';
import { Int64Property } from '../platform/int64.js';
import { PageQuery } from '../platform/pagination.js';
import { EnumParameter, EnumProperty, TextProperty } from '../platform/validation/index.js';
import { PetStatus, type Pet } from './pet.entity.js';

const status = { enum: PetStatus, enumName: 'PetStatus', description: 'Availability of the animal.' } as const;

/** The body of `createPet` (interface §2, NewPet). */
@ApiSchema({ name: 'NewPet' })
export class NewPetBody {
  @TextProperty({ minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' })
  name: string;

  @Int64Property({ description: 'Identifier of the category the animal belongs to.', example: 7n })
  categoryId: bigint;

  @EnumProperty({ ...status, required: false, example: 'available' })
  status?: PetStatus;
}

/** An animal as clients see it (interface §2, Pet). */
@ApiSchema({ name: 'Pet' })
export class PetBody {
  @Int64Property({ minimum: 1n, description: 'Unique identifier, assigned by the service on creation.', example: 1n })
  id: bigint;

  @TextProperty({ minLength: 1, maxLength: 255, description: "The animal's name.", example: 'Rex' })
  name: string;

  @Int64Property({ description: 'Identifier of the category the animal belongs to.', example: 7n })
  categoryId: bigint;

  /** The service always sends it, although the interface does not require it. */
  @EnumProperty({ ...status, required: false, example: 'available' })
  status: PetStatus;
}

/** The query of `listPets`. */
export class ListPetsQuery extends PageQuery {
  @EnumParameter({ ...status, required: false, description: 'Restricts the list to animals with this status.' })
  status?: PetStatus;
}

/** Copies each field by name, so that a new column of the table does not become visible to clients. */
export function petBody({ id, name, categoryId, status }: Pet): PetBody {
  return { id, name, categoryId, status };
}
