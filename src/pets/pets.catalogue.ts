import { Injectable } from '@nestjs/common';
import { ObjectPolicies } from '../platform/auth/index.js';
import type { Pet } from './pet.entity.js';
import { PetsRepository } from './pets.repository.js';

/**
 * The pets as other features may see them: a feature that needs them imports `pets.module` and injects this. Nothing
 * else of the feature is there for others, so that everything else may change.
 */
@Injectable()
export class PetsCatalogue {
  /** @internal */
  constructor(
    private readonly pets: PetsRepository,
    private readonly policies: ObjectPolicies,
  ) {}

  /** The pet with this id; undefined where there is none that the client may see. Inside a transaction it is read there. */
  async findPet(id: bigint): Promise<Pet | undefined> {
    return this.policies.visible('pet', await this.pets.find(id));
  }
}
