import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Thing } from './thing.entity.js';
import { ThingsController } from './things.controller.js';
import { ThingsRepository } from './things.repository.js';
import { ThingsService } from './things.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Thing])],
  controllers: [ThingsController],
  providers: [ThingsService, ThingsRepository],
})
export class ThingsModule {}
