import { describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Param, Post, type Type } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { defineFeature, type Feature } from '../feature.js';
import { Deprecated, LocatedBy, type Route } from '../routing/index.js';
import { checkFeatures } from './check-features.js';

const feature = (name: string, ...controllers: readonly Type[]): Feature => {
  @Module({ controllers: [...controllers] })
  class ToysModule {}
  return defineFeature({ name, platform: '^1.0.0', module: ToysModule });
};

async function routesOf(...features: readonly Feature[]): Promise<readonly Route[]> {
  const platform = { name: 'the platform', version: '1.0.0', tables: [], entities: [] };
  const { routes } = await checkFeatures(features, platform, '/v1');
  return routes;
}

const idsOf = async (...features: readonly Feature[]): Promise<string[]> =>
  (await routesOf(...features)).map(({ operationId }) => operationId);

/** A typical controller at the given path. */
function catsAt(path: string, operationId?: string): Type {
  @Controller(path)
  class CatsController {
    @Get()
    @ApiOperation(operationId === undefined ? {} : { operationId })
    findAll(): unknown {
      return [];
    }

    @Get(':id')
    findOne(@Param('id') id: string): unknown {
      return id;
    }

    @Post()
    @LocatedBy('findOneCat', { id: 'id' })
    @Deprecated({ since: '2030-01-01', sunset: '2031-01-01', successor: 'findAllCats' })
    create(): unknown {
      return {};
    }
  }
  return CatsController;
}

const USUAL = ['findAllCats', 'findOneCat', 'createCat'];

describe('the operationIds of controllers of one name', () => {
  const ofPath = (end: string): string[] => USUAL.map((id) => `${id}At${end}${id === 'findOneCat' ? 'Id' : ''}`);

  it('have the path of the one that comes later, in another feature or in the same one', async () => {
    const [tame, wild] = [catsAt('cats'), catsAt('wild/big-cats')];
    const expected = [...USUAL, ...ofPath('WildBigCats')];
    expect(await idsOf(feature('tame', tame), feature('wild', wild))).toEqual(expected);
    expect(await idsOf(feature('both', tame, wild))).toEqual(expected);
  });

  it('differ where their paths are nearly the same', async () => {
    const ids = await idsOf(feature('many', catsAt('cats'), catsAt('a/b'), catsAt('a-b')));
    expect(new Set(ids).size).toBe(9);
    expect(ids.slice(6)).toEqual(['findAllCatsAtAB2', 'findOneCatAtABId2', 'createCatAtAB2']);
  });

  it('mean an operation of their own controller, or feature, where one names another', async () => {
    @Controller('kennels')
    class KennelsController {
      @Post()
      @LocatedBy('findOneCat', { id: 'id' })
      open(): unknown {
        return {};
      }
    }
    const features = [feature('tame', catsAt('cats')), feature('wild', catsAt('lions'), KennelsController)];
    const routes = await routesOf(...features);
    const [tame, wild, kennel] = ['createCat', 'createCatAtLions', 'openKennel'].map((id) =>
      routes.find(({ operationId }) => operationId === id),
    );
    expect([tame?.located?.operationId, tame?.deprecated?.successor]).toStrictEqual(['findOneCat', 'findAllCats']);
    expect([wild?.located?.operationId, wild?.deprecated?.successor]).toStrictEqual([
      'findOneCatAtLionsId',
      'findAllCatsAtLions',
    ]);
    expect(kennel?.located?.operationId).toBe('findOneCatAtLionsId');
  });

  it('are those that they say themselves, which no two operations have', async () => {
    const named = feature('wild', catsAt('lions', 'findAllLions'));
    expect(await idsOf(feature('tame', catsAt('cats')), named)).toContain('findAllLions');
    await expect(idsOf(named, feature('tame', catsAt('cats', 'findAllLions')))).rejects.toMatchObject({
      violations: ["operationId 'findAllLions' is claimed by feature 'wild' and feature 'tame'"],
    });
  });
});
