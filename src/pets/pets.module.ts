import { Module } from '@nestjs/common';
import { PetsCatalogue } from './pets.catalogue.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';
import { PetsService } from './pets.service.js';

@Module({
  controllers: [PetsController],
  providers: [PetsService, PetsRepository, PetsCatalogue],
  exports: [PetsCatalogue],
})
export class PetsModule {}
