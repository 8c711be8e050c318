import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pet } from './pet.entity.js';
import { PetsCatalogue, PetsService } from './pets.service.js';
import { PetsController } from './pets.controller.js';
import { PetsRepository } from './pets.repository.js';

@Module({
  imports: [TypeOrmModule.forFeature([Pet])],
  controllers: [PetsController],
  providers: [PetsService, PetsRepository, PetsCatalogue],
  exports: [PetsCatalogue],
})
export class PetsModule {}
