import { Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Pet } from './pet.entity.js';
import { PetsController } from './pets.controller.js';
import { PetsService } from './pets.service.js';

const dataSource = {
  provide: DataSource,
  useFactory: () =>
    new DataSource({
      type: 'mysql',
      url: process.env['DATABASE_URL'] ?? '',
      entities: [Pet],
      poolSize: 10,
    }).initialize(),
};

@Module({ controllers: [PetsController], providers: [PetsService, dataSource] })
export class PetsModule {}
