import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { RequireScope } from '../platform/auth/index.js';
import { Deprecated } from '../platform/deprecation/index.js';
import { Idempotent } from '../platform/idempotency/index.js';
import { Paginated, type Page } from '../platform/pagination/index.js';
import { LocatedBy, Raises } from '../platform/routing/index.js';
import { ListPetsQuery, NewPetBody, petBody, PetBody } from './pets.dto.js';
import { petNotFound } from './pets.errors.js';
import { PetsService } from './pets.service.js';

/** The three operations of the interface (§4). */
@Controller('pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  /** List animals, page by page, of any or of one status. */
  @Get()
  @RequireScope('pets:read')
  @Paginated()
  async listPets(@Query() query: ListPetsQuery): Promise<Page<PetBody>> {
    const { limit, status } = query;
    return query.page(await this.pets.listPets({ after: query.after(), limit, status }), petBody);
  }

  /** Add an animal. */
  @Post()
  @RequireScope('pets:write')
  @Idempotent()
  @LocatedBy('getPet', { petId: 'id' })
  async createPet(@Body() pet: NewPetBody): Promise<PetBody> {
    return petBody(await this.pets.createPet(pet));
  }

  /** Fetch one animal. */
  @Get(':petId')
  @RequireScope('pets:read')
  @Raises(petNotFound)
  @Deprecated({ since: '2025-12-05', sunset: '2030-12-05', successor: 'listPets' })
  async getPet(@Param('petId') petId: string): Promise<PetBody> {
    return petBody(await this.pets.getPet(petId));
  }
}
