import { Module } from '@nestjs/common';
import { ThingsController } from './things.controller.js';
import { ThingsRepository } from './things.repository.js';
import { ThingsService } from './things.service.js';

@Module({ controllers: [ThingsController], providers: [ThingsService, ThingsRepository] })
export class ThingsModule {}
