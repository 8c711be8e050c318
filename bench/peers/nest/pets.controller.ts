import { Body, Controller, Get, NotFoundException, Param, Post, Query, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { Pet } from './pet.entity.js';
import { ListPetsQuery, NewPetBody, type PetBody } from './pets.dto.js';
import { PetsService } from './pets.service.js';

@Controller('pets')
export class PetsController {
  constructor(private readonly pets: PetsService) {}

  @Get()
  async listPets(
    @Query() { limit, cursor, status }: ListPetsQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PetBody[]> {
    const pets = await this.pets.list(cursor, limit + 1, status);
    const page = pets.slice(0, limit).map(petBody);
    if (pets.length > limit) {
      const next = new URLSearchParams({ limit: String(limit), cursor: String(page.at(-1)?.id) });
      if (status !== undefined) next.set('status', status);
      response.setHeader('Link', `</v1/pets?${next.toString()}>; rel="next"`);
    }
    return page;
  }

  @Get(':petId')
  async getPet(@Param('petId') petId: string): Promise<PetBody> {
    const pet = /^\d+$/.test(petId) ? await this.pets.find(petId) : null;
    if (pet === null) throw new NotFoundException();
    return petBody(pet);
  }

  @Post()
  async createPet(@Body() pet: NewPetBody): Promise<PetBody> {
    return petBody(await this.pets.create(pet));
  }
}

function petBody({ id, name, categoryId, status }: Pet): PetBody {
  return { id: Number(id), name, categoryId, status };
}
