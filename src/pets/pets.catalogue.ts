import { Injectable } from '@nestjs/common';
import type { Pet } from './pet.entity.js';
import { PetsRepository } from './pets.repository.js';

/**
 * The pets as other features may see them: a feature that needs them imports `pets.module` and injects this. Nothing
 * else of the feature is there for others, so that everything else may change.
 */
@Injectable()
export class PetsCatalogue {
  /** @internal */
  constructor(private readonly pets: PetsRepository) {}

  /** The pet with this id; undefined where there is none. Inside a transaction it is read there. */
  findPet(id: bigint): Promise<Pet | undefined> {
    return this.pets.find(id);
  }
}
