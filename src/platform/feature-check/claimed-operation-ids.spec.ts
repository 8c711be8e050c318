import { expect, it } from '@jest/globals';
import { Controller, Get, Header, Module, type Type } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { defineFeature } from '../feature.js';
import { checkFeatures, FeatureError } from './check-features.js';

async function violationsOf(...controllers: readonly Type[]): Promise<readonly string[]> {
  @Module({ controllers: [...controllers] })
  class ToysModule {}
  const toys = defineFeature({ name: 'toys', platform: '^1.0.0', module: ToysModule });
  const platform = { name: 'the platform', version: '1.0.0', tables: [], entities: [] };
  try {
    await checkFeatures([toys], platform, '/v1');
    return [];
  } catch (error) {
    if (!(error instanceof FeatureError)) throw error;
    return error.violations;
  }
}

it('two controllers of one name have the same operationIds, until one of them says its own', async () => {
  const catsAt = (path: string, decorator: MethodDecorator): Type => {
    @Controller(path)
    class CatsController {
      @Get()
      @decorator
      findAll(): unknown {
        return [];
      }
    }
    return CatsController;
  };
  const plain = Header('X-Cats', '1');
  const tame = catsAt('cats', plain);
  expect(await violationsOf(tame, catsAt('wild/cats', plain))).toEqual([
    "operationId 'findAllCats' is claimed more than once by feature 'toys'",
  ]);
  const named = ApiOperation({ operationId: 'findAllWildCats' });
  expect(await violationsOf(tame, catsAt('wild/cats', named))).toEqual([]);
});
