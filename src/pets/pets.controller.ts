import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam } from '@nestjs/swagger';
import { RequireScope } from '../platform/auth/index.js';
import { Idempotent } from '../platform/idempotency/index.js';
import { ParseIdPipe } from '../platform/int64.js';
import { Paginated, type Page } from '../platform/pagination.js';
import { Deprecated, LocatedBy, Raises } from '../platform/routing/index.js';
import { ListPetsQuery, NewPetBody, petBody, PetBody } from './pets.dto.js';
import { petNotFound } from './pets.errors.js';
import { PetsService } from './pets.service.js';

const petIdParameter = { name: 'petId', type: 'integer', format: 'int64', minimum: 1, example: 1 } as const;

/** The three operations of the interface (§4). */
@Controller('pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  @ApiOperation({ summary: 'List all animals', description: 'Page by page, of any status or of one.' })
  @ApiOkResponse({ description: 'A page of animals, by ascending id; empty when there is none.', type: [PetBody] })
  @RequireScope('pets:read')
  @Paginated()
  async listPets(@Query() query: ListPetsQuery): Promise<Page<PetBody>> {
    const { limit, cursor, ...chosen } = query;
    return query.page(await this.pets.listPets({ ...chosen, after: query.after(), limit }), petBody);
  }

  @Post()
  @ApiOperation({ summary: 'Add an animal', description: 'Without a `status` it is `available`.' })
  @ApiCreatedResponse({ description: 'Animal added.', type: PetBody })
  @RequireScope('pets:write')
  @Idempotent()
  @LocatedBy('getPet', { petId: 'id' })
  async createPet(@Body() pet: NewPetBody): Promise<PetBody> {
    return petBody(await this.pets.createPet(pet));
  }

  @Get(':petId')
  @ApiOperation({ summary: 'Get an animal', description: 'Use `listPets` with a `status` instead.' })
  @ApiParam({ ...petIdParameter, description: 'Identifier of the animal to retrieve.' })
  @ApiOkResponse({ description: 'The requested animal.', type: PetBody })
  @RequireScope('pets:read')
  @Raises(petNotFound)
  @Deprecated({ since: '2025-12-05', sunset: '2030-12-05', successor: 'listPets' })
  async getPet(@Param('petId', new ParseIdPipe(petNotFound)) petId: bigint): Promise<PetBody> {
    return petBody(await this.pets.getPet(petId));
  }
}
