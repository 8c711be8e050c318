import { Injectable } from '@nestjs/common';
import { ObjectPolicies } from '../platform/auth/index.js';
import { ApiError } from '../platform/errors/index.js';
import type { Slice } from '../platform/pagination.js';
import { PetStatus, type NewPet, type Pet } from './pet.entity.js';
import { petNotFound } from './pets.errors.js';
import { PetsRepository, type PetSelection } from './pets.repository.js';

/** The rules of the store. */
@Injectable()
export class PetsService {
  constructor(
    private readonly pets: PetsRepository,
    private readonly policies: ObjectPolicies,
  ) {}

  async listPets(selection: PetSelection): Promise<Slice<Pet>> {
    return this.policies.visibleOf('pet', await this.pets.list(selection));
  }

  /** A pet is available unless it is said otherwise (contract, "Pet values"). */
  createPet({
    status = PetStatus.available,
    ...pet
  }: Omit<NewPet, 'status'> & { status?: PetStatus | undefined }): Promise<Pet> {
    return this.pets.insert({ ...pet, status });
  }

  /** @throws {ApiError} (rejects) pet_not_found. */
  async getPet(id: bigint): Promise<Pet> {
    const pet = await this.policies.visible('pet', await this.pets.find(id));
    if (pet === undefined) throw new ApiError(petNotFound);
    return pet;
  }
}

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
