import { Module } from '@nestjs/common';
import { ConfigModule, registerAs } from '@nestjs/config';
import { defineFeature } from 'animal-store';

/** Ordinary Nest configuration that is incomplete. */
const radiosConfig = registerAs('radios', () => {
  const { RADIOS_STATION: station } = process.env;
  if (station === undefined) throw new Error('RADIOS_STATION is missing');
  return { station };
});

@Module({ imports: [ConfigModule.forFeature(radiosConfig)] })
class RadiosModule {}

export const radios = defineFeature({ name: 'radios', platform: '^1.0.0', module: RadiosModule });
