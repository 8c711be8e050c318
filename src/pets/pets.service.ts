import { Injectable } from '@nestjs/common';
import { ObjectPolicies } from '../platform/auth/index.js';
import { ApiError } from '../platform/errors/index.js';
import type { Slice } from '../platform/pagination.js';
import { PetStatus, type NewPet, type Pet } from './pet.entity.js';
import { petNotFound } from './pets.errors.js';
import { PetsRepository, type PetSelection } from './pets.repository.js';

/** The business rules of pets. */
@Injectable()
export class PetsService {
  constructor(
    private readonly pets: PetsRepository,
    private readonly policies: ObjectPolicies,
  ) {}

  async listPets(selection: PetSelection): Promise<Slice<Pet>> {
    return this.policies.visibleOf('pet', await this.pets.list(selection));
  }

  /** The default status is `available` (contract, "Pet values"). */
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
 * The pets for other features. A feature that needs them imports `pets.module` and injects this class. It is the only
 * public part of the feature, so everything else may change.
 */
@Injectable()
export class PetsCatalogue {
  /** @internal */
  constructor(
    private readonly pets: PetsRepository,
    private readonly policies: ObjectPolicies,
  ) {}

  /**
   * The pet with this id; undefined if it does not exist or the client may not see it. A call in a transaction reads in
   * that transaction.
   */
  async findPet(id: bigint): Promise<Pet | undefined> {
    return this.policies.visible('pet', await this.pets.find(id));
  }
}
