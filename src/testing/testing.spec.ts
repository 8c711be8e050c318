import { afterEach, describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  Module,
  Post,
  Query,
  Res,
  type MiddlewareConsumer,
  type NestModule,
} from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiSchema } from '@nestjs/swagger';
import type { ServerResponse } from 'node:http';
import { defineFeature, Int64Property, pets, Public, RequireScope, type Feature } from '../index.js';
import {
  assertError,
  assertPlatformRules,
  errorMatchers,
  FixedClock,
  startTestApplication,
  type ErrorMatchers,
  type TestApplication,
} from './index.js';

declare module 'expect' {
  // Both parameters need the names that the library gives them, even if they are not used.
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface Matchers<R> extends ErrorMatchers<R> {}
}

expect.extend(errorMatchers);

let application: TestApplication;

const start = async (...features: Feature[]): Promise<TestApplication> =>
  (application = await startTestApplication({ features }));

afterEach(() => application.stop());

describe('the test application', () => {
  it('has a client with every scope, clients with some, and an anonymous one', async () => {
    const { client, anonymous } = await start(pets);
    const created = await client.post('/v1/pets', { name: 'Rex', categoryId: 9007199254740993n });
    expect(created.json()).toEqual({ id: 1, name: 'Rex', categoryId: 9007199254740993n, status: 'available' });
    const reader = await application.clientWith('pets:read');
    expect((await reader.get('/v1/pets')).status).toBe(200);
    expect(await reader.post('/v1/pets', {})).toBeError(403, 'insufficient_scope');
    expect(await anonymous.get('/v1/pets')).toBeError(401, 'missing_api_key');
  });

  it('has a database of its own', async () => {
    await start(pets);
    expect(await application.dataSource.query('SELECT id FROM pet')).toEqual([]);
  });

  it('stands on the day that a test gives it', async () => {
    const clock = new FixedClock('2030-12-04T23:59:59Z');
    application = await startTestApplication({ features: [pets], clock });
    expect(await application.client.get('/v1/pets/1')).toBeError(404, 'pet_not_found');
    clock.advance(1000);
    expect(await application.client.get('/v1/pets/1')).toBeError(410, 'operation_removed');
  });
});

describe('assertError', () => {
  it('names everything that is not so', async () => {
    const { anonymous } = await start(pets);
    const answer = await anonymous.get('/v1/pets');
    assertError(answer, 401, 'missing_api_key');
    expect(() => assertError(answer, 404, 'pet_not_found')).toThrow(
      /the status line says 401; its code is "missing_api_key"; its status is 401\nReceived 401 /,
    );
    expect(() => expect(answer).toBeError(404, 'pet_not_found')).toThrow(/Not the Error 404 pet_not_found/);
  });
});

@ApiSchema({ name: 'Toy' })
class ToyBody {
  @Int64Property({ example: 1n })
  id: bigint;
}

/** Breaks the rules that a feature can break without being refused at start. */
@Controller('toys')
class ToysController {
  @Get()
  @ApiOkResponse({ description: 'A toy.', type: ToyBody })
  getToy(): object {
    return { id: 1n, secret: 'hidden' };
  }

  @Get('any')
  @Public()
  anyQuery(@Query() query: URLSearchParams): string {
    return String(query);
  }

  @Get('own')
  @ApiOkResponse({ description: 'A toy of its own shape.', type: ToyBody })
  @RequireScope('toys:read')
  ownAnswer(@Res() response: ServerResponse): void {
    response.writeHead(418).end('teapot');
  }

  @Post()
  failToy(): void {
    throw new Error('broken');
  }
}

@Module({ controllers: [ToysController] })
class ToysModule {}

const toys = defineFeature({ name: 'toys', platform: '^1.0.0', module: ToysModule, scopes: { 'toys:read': 'See' } });

@Controller('balls')
class BallsController {
  @Post()
  @ApiCreatedResponse({ description: 'A ball.', type: ToyBody })
  @RequireScope('balls:write')
  addBall(@Body() ball: ToyBody): ToyBody {
    return ball;
  }
}

/** Its middleware answers every request with an accepted key before the platform validates the request. */
@Module({ controllers: [BallsController] })
class BallsModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply((_request: unknown, response: ServerResponse) => response.end('"a ball"')).forRoutes('{*path}');
  }
}

const scopes = { 'balls:write': 'Throw' };
const balls = defineFeature({ name: 'balls', platform: '^1.0.0', module: BallsModule, scopes });

describe('assertPlatformRules', () => {
  it('is content with pets', async () => {
    await assertPlatformRules(await start(pets), pets);
  });

  it('names every breach of a feature', async () => {
    application = await startTestApplication({ features: [toys], env: { LOG_LEVEL: 'silent' } });
    const breaches = await assertPlatformRules(application, toys).catch((error: unknown) => (error as Error).message);
    expect(breaches).toBe(
      [
        "Feature 'toys' breaks rules of the platform:",
        '  - failToy: its success is not described: @ApiOkResponse or @ApiCreatedResponse',
        '  - failToy: is open to every key: name a scope by @RequireScope, or @Public',
        '  - failToy: its example fails with 500',
        '  - getToy: is open to every key: name a scope by @RequireScope, or @Public',
        '  - getToy: 200 answers secret, which is not documented',
        '  - anyQueryToys: its success is not described: @ApiOkResponse or @ApiCreatedResponse',
        '  - anyQueryToys: an undeclared parameter is not 400 unknown_parameter: the status line says 200',
        '  - anyQueryToys: an undeclared parameter is not 400 unknown_parameter: its body is no JSON object',
        '  - anyQueryToys: 200 has a body, but no documented schema',
        '  - ownAnswerToys: answers 418, which is not documented',
        '  - ownAnswerToys: an Error: its media type is none',
        '  - ownAnswerToys: an Error: its body is no JSON object',
      ].join('\n'),
    );
  });

  it('sees in every way that a feature answers past the platform', async () => {
    application = await startTestApplication({ features: [balls], env: { LOG_LEVEL: 'silent' } });
    const breaches = await assertPlatformRules(application, balls).catch((error: unknown) => (error as Error).message);
    for (const breach of [
      'addBall: an undeclared parameter is not 400 unknown_parameter: ',
      'addBall: no body is not 400 body_required: ',
      'addBall: a text is not 415 unsupported_media_type: ',
      'addBall: broken JSON is not 400 invalid_json: ',
      'addBall: an undeclared field is not 400 unknown_field: ',
      'addBall: answers 200, which is not documented',
      'addBall: 200 has a body, but no documented schema',
      'PUT /v1/balls: the status line says 401',
    ]) {
      expect(breaches).toContain(`\n  - ${breach}`);
    }
    // Without a key that has the scope, no request reaches the middleware.
    expect(breaches).not.toMatch(/a request without a key|a wrong key|a key without balls:write/);
  });

  it('does not take a feature that is not there for a good one', async () => {
    await expect(assertPlatformRules(await start(pets), toys)).rejects.toThrow("feature 'toys' serves nothing here");
  });
});
