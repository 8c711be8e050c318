import { Controller, Get, Module } from '@nestjs/common';
import { defineFeature } from 'animal-store';

const BURN_MS = 20;

/** Requests that use the processor for a known time. */
@Controller('burns')
class BurnsController {
  @Get()
  burn(): object {
    for (const end = performance.now() + BURN_MS; performance.now() < end;);
    return { burnt: true };
  }
}

@Module({ controllers: [BurnsController] })
class FurnaceModule {}

export const furnace = defineFeature({ name: 'furnace', platform: '^1.0.0', module: FurnaceModule });
