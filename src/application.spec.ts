import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Body,
  Catch,
  Controller,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Post,
  Query,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiSchema } from '@nestjs/swagger';
import { of, type Observable } from 'rxjs';
import { defineFeature, Int64Property, PageQuery, Public, RequireScope, TextProperty, type Feature } from './index.js';
import { startTestApplication, type TestAnswer, type TestApplication } from './testing/index.js';

@ApiSchema({ name: 'Toy' })
class ToyBody {
  @Int64Property({ example: 7n })
  id: bigint;

  @TextProperty({ maxLength: 9, example: 'Ball' })
  name: string;
}

class ToysQuery extends PageQuery {}

/** Whether Nest's way to a handler is among its callers. */
const isCalledByNest = (): boolean => new Error('Who calls?').stack?.includes('router-execution-context') === true;

let calledByNest: boolean;

/** Handlers of each kind, in a class with one more decorator. */
function feature(decorator: ClassDecorator, scope: Scope = Scope.DEFAULT): Feature {
  @decorator
  @Controller({ path: 'toys', scope })
  class ToysController {
    @Get()
    @Public()
    @ApiOkResponse({ description: 'What was asked.', type: ToyBody })
    async listToys(@Query() query: ToysQuery): Promise<object> {
      calledByNest = isCalledByNest();
      return Promise.resolve({ limit: query.limit });
    }

    @Post()
    @RequireScope('toys:write')
    @ApiCreatedResponse({ description: 'What was sent.', type: ToyBody })
    async makeToy(@Body() toy: ToyBody): Promise<ToyBody> {
      return Promise.resolve(toy);
    }

    @Get(':name')
    @RequireScope('toys:read')
    @ApiOkResponse({ description: 'One.', type: ToyBody })
    async getToy(@Param('name') name: string): Promise<object | Observable<object>> {
      if (name === 'lost') throw new NotFoundException();
      if (name === 'broken') throw new Error('A secret');
      return Promise.resolve(name === 'stream' ? of({ name }) : { name });
    }
  }

  @Module({ controllers: [ToysController] })
  class ToysModule {}

  const scopes = { 'toys:read': 'See toys', 'toys:write': 'Make toys' };
  return defineFeature({ name: 'toys', platform: '^1.0.0', module: ToysModule, scopes });
}

@Injectable()
class Nothing implements CanActivate, NestInterceptor, PipeTransform {
  canActivate(): boolean {
    return true;
  }

  intercept(_context: unknown, next: CallHandler): Observable<unknown> {
    return next.handle();
  }

  transform(value: unknown): unknown {
    return value;
  }
}

class NoFault extends Error {}

@Catch(NoFault)
class NoFilter implements ExceptionFilter {
  catch(): void {
    throw new Error('Nothing is to come here');
  }
}

const nothing: ClassDecorator = () => undefined;

/** The headers that tell one way from another; those that change with time or request are left out. */
const told = ({ status, text, headers }: TestAnswer): object => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
});

describe('a handler', () => {
  let application: TestApplication;

  afterEach(() => application.stop());

  async function answers(toys: Feature): Promise<object[]> {
    application = await startTestApplication({ features: [toys], env: { LOG_LEVEL: 'silent' } });
    const { client, stranger } = application;
    const reader = await application.clientWith('toys:read');
    const toy = { id: 9007199254740993n, name: 'Ball' };
    const given = [
      await stranger.get('/v1/toys?limit=3'),
      await client.get('/v1/toys?limit=0&size=3'),
      await client.post('/v1/toys', toy),
      await client.post('/v1/toys', { ...toy, id: 'one' }),
      await client.post('/v1/toys', '{'),
      await client.post('/v1/toys?verbose=true', toy),
      await reader.post('/v1/toys', '{'),
      await stranger.get('/v1/toys/ball'),
      await client.get('/v1/toys/ball', { headers: { Accept: 'text/html' } }),
      await client.get('/v1/toys/ball?size=3'),
      ...(await Promise.all(
        ['ball', 'stream', 'lost', 'broken', 'a%20b'].map((name) => client.get(`/v1/toys/${name}`)),
      )),
    ];
    return given.map(told);
  }

  let plain: object[];

  it('with nothing of its own around it is called without Nest', async () => {
    plain = await answers(feature(nothing));
    expect(calledByNest).toBe(false);
    expect(plain.map((answer) => (answer as { status: number }).status)).toEqual([
      200, 400, 201, 400, 400, 400, 403, 401, 406, 400, 200, 200, 404, 500, 200,
    ]);
  });

  it.each([
    ['a guard', UseGuards(Nothing) as ClassDecorator, Scope.DEFAULT],
    ['an interceptor', UseInterceptors(Nothing) as ClassDecorator, Scope.DEFAULT],
    ['a pipe', UsePipes(Nothing) as ClassDecorator, Scope.DEFAULT],
    ['a filter', UseFilters(NoFilter) as ClassDecorator, Scope.DEFAULT],
    ['a life of one request', nothing, Scope.REQUEST],
  ])('with %s is called by Nest, and answers the same', async (_what, decorator, scope) => {
    expect(await answers(feature(decorator, scope))).toEqual(plain);
    expect(calledByNest).toBe(true);
  });
});
