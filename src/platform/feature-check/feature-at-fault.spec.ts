import { describe, expect, it } from '@jest/globals';
import { Controller, Injectable, Module } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineFeature } from '../feature.js';
import { lineAttribution } from './feature-at-fault.js';

@Injectable()
class CatsJob {}

@Injectable()
class SharedCache {}

@Controller()
class CatsController {}

@Module({ controllers: [CatsController], providers: [CatsJob, { provide: SharedCache, useClass: SharedCache }] })
class CatsModule {}

@Module({ providers: [SharedCache] })
class DogsModule {}

const cats = defineFeature({ name: 'cats', platform: '^1.0.0', module: CatsModule });
const dogs = { name: 'dogs', platform: '^1.0.0', module: DogsModule };

describe('a line of the log outside of a request', () => {
  it('is of the feature whose class it names, where that is one', async () => {
    const featureOf = lineAttribution([{ ...cats, module: CatsModule }, dogs]);
    await sleep(0);
    expect(['CatsJob', 'CatsController', 'CatsModule', 'DogsModule'].map(featureOf)).toStrictEqual([
      'cats',
      'cats',
      'cats',
      'dogs',
    ]);
  });

  it('is else of the feature whose file it is written in, also after something was waited for', async () => {
    const featureOf = lineAttribution([cats]);
    const job = async (): Promise<string | undefined> => {
      await sleep(1);
      return featureOf(undefined);
    };
    expect(featureOf(undefined)).toBe('cats');
    expect(await job()).toBe('cats');
    expect(lineAttribution([dogs])('SharedCacheOfNobody')).toBeUndefined();
  });
});
