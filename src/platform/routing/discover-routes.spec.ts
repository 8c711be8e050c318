import { describe, expect, it } from '@jest/globals';
import { Body, Controller, createParamDecorator, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { ApiOperation } from '@nestjs/swagger';
import { discoverRoutes } from './discover-routes.js';

class Toy {
  name: string;
}

class Owner {
  name: string;
}

const OwnerOf = createParamDecorator(() => new Owner());

@Controller('toys')
class ToysController {
  @Get()
  listToys(@Query() _query: Toy): void {
    return undefined;
  }

  @Post(':name')
  makeToy(@Param('name') _name: string, @Body() _toy: Toy, @OwnerOf() _owner: Owner): void {
    return undefined;
  }

  @Get(':name')
  getToy(@Param('name') _name: string, @OwnerOf() _owner: Owner): void {
    return undefined;
  }

  @Get('lost')
  lostToys(@Query('since') _since: string, @Body('name') _name: string): void {
    return undefined;
  }
}

/** Nest gives each custom decorator a random key of 21 hex digits when it is created. */
function beginOwnDecoratorsWith(digits: string): void {
  for (const name of ['makeToy', 'getToy']) {
    const declared = Reflect.getMetadata(ROUTE_ARGS_METADATA, ToysController, name) as Record<string, unknown>;
    const renamed = Object.entries(declared).map(([key, value]) => [
      key.replace(/^\w*(?=__customRouteArgs__)/, digits.padEnd(21, '0')),
      value,
    ]);
    Reflect.defineMetadata(ROUTE_ARGS_METADATA, Object.fromEntries(renamed), ToysController, name);
  }
}

const discovered = () => discoverRoutes([{ name: 'toys', modules: [{ controllers: [ToysController] }] }], '/v1');

describe('the routes of a controller', () => {
  // Nest's own keys begin with 3 for a body, 4 for a query and 5 for a path parameter. A custom key may begin with them
  // too.
  it.each(['c0ffee', '3a', '4b', '5c'])(
    'say what their handlers take, whoever else gives them something: %s',
    (digits) => {
      beginOwnDecoratorsWith(digits);
      const taken = discovered().routes.map(({ operationId, bodyType, hasQuery, queryType }) => [
        operationId,
        { bodyType, hasQuery, queryType },
      ]);
      expect(Object.fromEntries(taken)).toEqual({
        listToys: { bodyType: undefined, hasQuery: true, queryType: Toy },
        makeToy: { bodyType: Toy, hasQuery: false, queryType: undefined },
        getToy: { bodyType: undefined, hasQuery: false, queryType: undefined },
        lostToys: { bodyType: undefined, hasQuery: true, queryType: undefined },
      });
    },
  );

  it('say which parameters a query may have', () => {
    const names = discovered().routes.map(({ operationId, queryNames }) => [operationId, queryNames]);
    expect(Object.fromEntries(names)).toEqual({
      listToys: undefined,
      makeToy: undefined,
      getToy: undefined,
      lostToys: new Map([['since', false]]),
    });
    expect(discovered().violations).toEqual([]);
  });
});

describe('an operationId', () => {
  @Controller('ponies')
  class ShetlandPoniesController {
    @Post()
    create(): void {}

    @Get()
    findAll(): void {}

    @Get(':id')
    findOne(): void {}

    @Patch(':id')
    update(): void {}

    @Delete(':id')
    removePony(): void {}

    @Get('fast')
    listPonies(): void {}

    @Get('old')
    @ApiOperation({ operationId: 'retired' })
    old(): void {}

    @Get('carp')
    carponies(): void {}
  }

  it('is what @ApiOperation says, else names the resource, whatever other controllers have', () => {
    const modules = [{ controllers: [ShetlandPoniesController] }];
    const { routes } = discoverRoutes([{ name: 'ponies', modules }], '/v1');
    expect(routes.map(({ handlerName, operationId }) => `${handlerName}: ${operationId}`)).toEqual([
      'create: createShetlandPony',
      'findAll: findAllShetlandPonies',
      'findOne: findOneShetlandPony',
      'update: updateShetlandPony',
      'removePony: removePony',
      'listPonies: listPonies',
      'old: retired',
      'carponies: carponiesShetlandPonies',
    ]);
  });
});
