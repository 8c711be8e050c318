import { beforeAll, describe, expect, it } from '@jest/globals';
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
  Req,
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
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { of, type Observable } from 'rxjs';
import {
  createApplication,
  defineFeature,
  Deprecated,
  Health,
  Idempotent,
  Int64Property,
  loadConfig,
  PageQuery,
  Public,
  RequireScope,
  TextProperty,
  type Feature,
} from './index.js';
import { startTestApplication, type TestAnswer } from './testing/index.js';

@ApiSchema({ name: 'Toy' })
class ToyBody {
  @Int64Property({ example: 7n })
  id: bigint;

  @TextProperty({ maxLength: 9, example: 'Ball' })
  name: string;
}

class ToysQuery extends PageQuery {}

/** The handlers that were called, with their callers, in order. */
let calls: string[] = [];

/** A handler calls this. The stack shows whether Nest's router called the handler. */
function noteCall(handler: string): void {
  const isByNest = new Error('Who calls?').stack?.includes('router-execution-context') === true;
  calls.push(`${handler} by ${isByNest ? 'Nest' : 'the platform'}`);
}

/** A feature with a handler of each kind. The decorator is applied to its controller. */
function feature(decorator: ClassDecorator, scope: Scope = Scope.DEFAULT): Feature {
  @decorator
  @Controller({ path: 'toys', scope })
  class ToysController {
    @Get()
    @Public()
    @ApiOkResponse({ description: 'What was asked.', type: ToyBody })
    async listToys(@Query() query: ToysQuery): Promise<object> {
      noteCall('listToys');
      return Promise.resolve({ limit: query.limit });
    }

    @Post()
    @RequireScope('toys:write')
    @Idempotent()
    @ApiCreatedResponse({ description: 'What was sent.', type: ToyBody })
    async makeToy(@Body() toy: ToyBody): Promise<ToyBody> {
      noteCall('makeToy');
      return Promise.resolve(toy);
    }

    @Get(':name')
    @RequireScope('toys:read')
    @Deprecated({ since: '2025-01-01', sunset: '2999-01-01', successor: 'listToys' })
    @ApiOkResponse({ description: 'One.', type: ToyBody })
    async getToy(@Param('name') name: string): Promise<object | Observable<object>> {
      noteCall('getToy');
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

/** The answer without the headers that change with time or request. */
const told = ({ status, text, headers }: TestAnswer): object => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
});

async function answersOf(toys: Feature): Promise<object[]> {
  calls = [];
  const env = { LOG_LEVEL: 'silent', PUBLIC_BASE_URL: 'http://toys.example/v1' };
  const application = await startTestApplication({ features: [toys], env });
  const { client, anonymous } = application;
  const reader = await application.clientWith('toys:read');
  const toy = { id: 9007199254740993n, name: 'Ball' };
  const once = { headers: { 'Idempotency-Key': 'once' } };
  const given = [
    await anonymous.get('/v1/toys?limit=3'),
    await client.get('/v1/toys?limit=0&size=3'),
    await client.post('/v1/toys', toy),
    await client.post('/v1/toys', toy, once),
    await client.post('/v1/toys', toy, once),
    await client.post('/v1/toys', { ...toy, name: 'Kite' }, once),
    await client.post('/v1/toys', { ...toy, id: 'one' }),
    await client.post('/v1/toys', '{'),
    await client.post('/v1/toys?verbose=true', toy),
    await reader.post('/v1/toys', '{'),
    await anonymous.get('/v1/toys/ball'),
    await client.get('/v1/toys/ball', { headers: { Accept: 'text/html' } }),
    await client.get('/v1/toys/ball?size=3'),
  ];
  for (const name of ['ball', 'stream', 'lost', 'broken', 'a%20b']) given.push(await client.get(`/v1/toys/${name}`));
  await application.stop();
  return given.map(told);
}

/** The expected calls of `answersOf`, all by this caller. */
const callsBy = (whom: string): string[] =>
  ['listToys', 'makeToy', 'makeToy', ...Array<string>(5).fill('getToy')].map((handler) => `${handler} by ${whom}`);

describe('a handler', () => {
  let plain: object[];
  let plainCalls: string[];

  beforeAll(async () => {
    plain = await answersOf(feature(nothing));
    plainCalls = calls;
  });

  it('with nothing of its own around it is called without Nest', () => {
    // The third call has an idempotency key, which needs an interceptor. In the last one, Express decodes the path.
    expect(plainCalls).toEqual(callsBy('the platform').with(2, 'makeToy by Nest').with(-1, 'getToy by Nest'));
    expect(plain.map((answer) => (answer as { status: number }).status)).toEqual([
      200, 400, 201, 201, 201, 422, 400, 400, 400, 403, 401, 406, 400, 200, 200, 404, 500, 200,
    ]);
  });

  it.each([
    ['a guard', UseGuards(Nothing) as ClassDecorator, Scope.DEFAULT],
    ['an interceptor', UseInterceptors(Nothing) as ClassDecorator, Scope.DEFAULT],
    ['a pipe', UsePipes(Nothing) as ClassDecorator, Scope.DEFAULT],
    ['a filter', UseFilters(NoFilter) as ClassDecorator, Scope.DEFAULT],
    ['a life of one request', nothing, Scope.REQUEST],
  ])('with %s is called by Nest, and answers the same', async (_what, decorator, scope) => {
    expect(await answersOf(feature(decorator, scope))).toEqual(plain);
    expect(calls).toEqual(callsBy('Nest'));
  });
});

describe('a handler that has the request', () => {
  @Controller('sleeves')
  class SleevesController {
    @Get()
    @Public()
    @ApiOkResponse({ description: 'What was seen of it.', type: ToyBody })
    async lookInto(@Req() request: IncomingMessage): Promise<object> {
      const wasEnded = request.readableEnded;
      request.resume();
      await once(request, 'close');
      return { wasEnded, isEnded: request.readableEnded };
    }
  }

  @Module({ controllers: [SleevesController] })
  class SleevesModule {}

  it('sees it end and close, also where it has no body', async () => {
    const sleeves = defineFeature({ name: 'sleeves', platform: '^1.0.0', module: SleevesModule });
    const application = await startTestApplication({ features: [sleeves], env: { LOG_LEVEL: 'silent' } });
    const answer = await application.anonymous.get('/v1/sleeves');
    await application.stop();
    expect(answer.text).toBe('{"wasEnded":false,"isEnded":true}');
  });
});

describe('an application', () => {
  it('that is stopped while its first checks run is never ready', async () => {
    const env = { NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', MANAGEMENT_PORT: '0', LOG_LEVEL: 'silent' };
    const config = loadConfig({ ...env, DATABASE_URL: 'sqlite::memory:' });
    const application = await createApplication({ features: [], config });
    const asked = Promise.withResolvers<undefined>();
    const answer = Promise.withResolvers<boolean>();
    application.nest.get(Health).contribute('kettle', () => {
      asked.resolve(undefined);
      return answer.promise;
    });
    let isReady = false;
    await application.start();
    void application.ready().then(() => (isReady = true));
    await asked.promise;
    const stopping = application.stop();
    answer.resolve(true);
    expect(await stopping).toBe(true);
    expect(isReady).toBe(false);
  });
});
