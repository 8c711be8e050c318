import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  Body,
  Controller,
  Get,
  Module,
  Param,
  Post,
  Query,
  RequestMethod,
  type INestApplication,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ApiCreatedResponse,
  ApiExtension,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiResponse,
  ApiSchema,
  ApiTags,
} from '@nestjs/swagger';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { parse as parseYaml } from 'yaml';
import { coreErrors, defineErrorCode, statusOfCategory } from '../../errors/index.js';
import { defineFeature } from '../../feature.js';
import {
  declareRoute,
  discoverRoutes,
  LocatedBy,
  PublicUrls,
  Raises,
  Stability,
  type Route,
} from '../../routing/index.js';
import { animalStore } from '../document-source.js';
import { errorResponse } from './error-responses.js';
import { buildOpenApiDocument, documentTexts, type DocumentTexts } from './openapi-document.js';

const toyBroken = defineErrorCode('toy_broken', 'conflict', 'The toy is broken.');
const toyLent = defineErrorCode('toy_lent', 'conflict', 'The toy is lent.');
const toyOdd = defineErrorCode('toy_odd', 'malformed', 'The toy is odd.');

enum Colour {
  red = 'red',
  blue = 'blue',
}

@ApiSchema({ name: 'NewToy' })
class NewToy {
  @ApiProperty({ type: 'integer', format: 'int64', example: 9007199254740993n })
  shelf: bigint;

  @ApiProperty({ enum: Colour, enumName: 'Colour', required: false })
  colour?: Colour;
}

@ApiSchema({ name: 'Toy' })
class Toy {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 1, example: 1 })
  id: bigint;

  @ApiProperty({ enum: Colour, enumName: 'Colour' })
  colour: Colour;
}

class ToyQuery {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100, default: 20, required: false })
  limit: number;

  @ApiProperty({ enum: Colour, enumName: 'Colour', required: false })
  colour?: Colour;
}

const toyIdParameter = { name: 'toyId', type: 'integer', format: 'int64', minimum: 1, example: 1 };

@Controller('toys')
class ToysController {
  @Get()
  @ApiOperation({ summary: 'List toys' })
  @ApiOkResponse({ description: 'A page.', type: Toy, isArray: true })
  @declareRoute({ paginated: true, scopes: ['toys:read'] })
  listToys(@Query() _query: ToyQuery): void {}

  @Post()
  @ApiOperation({ summary: 'Add a toy', description: 'Adds it.' })
  @ApiCreatedResponse({ description: 'Made.', type: Toy })
  @declareRoute({ idempotent: true, scopes: ['toys:write'] })
  @LocatedBy('getToy', { toyId: 'id' })
  @Raises(toyBroken)
  createToy(@Body() _toy: NewToy): void {}

  @Get(':toyId')
  @ApiOperation({ summary: 'Get a toy' })
  @ApiParam(toyIdParameter)
  @ApiOkResponse({ description: 'The toy.', type: Toy })
  @declareRoute({
    deprecated: { since: '2025-12-05', sunset: '2030-12-05', successor: 'listToys' },
  })
  @Raises(toyLent, toyOdd)
  @Stability('beta')
  getToy(@Param('toyId') _id: string): void {}

  @Get('open')
  @ApiOperation({ summary: 'What anyone may see' })
  @declareRoute({ open: true })
  peek(): void {}
}

@Controller('shelves')
@ApiTags('furniture')
class ShelvesController {
  @Post()
  @ApiOperation({ operationId: 'buildShelf', deprecated: true })
  @ApiExtension('x-room', 'attic')
  @ApiResponse({ status: 201, description: 'Built.' })
  @ApiResponse({ status: 403, description: 'Only the carpenter may.' })
  @ApiResponse({ status: 418, description: 'It is a teapot.' })
  @ApiResponse({ status: 402 })
  create(): void {}
}

@Module({ controllers: [ToysController, ShelvesController] })
class ToysModule {}

const toys = defineFeature({
  name: 'toys',
  platform: '^1.0.0',
  module: ToysModule,
  scopes: { 'toys:read': 'List toys', 'toys:write': 'Add toys' },
});

interface Media {
  schema: object;
  example: unknown;
  examples: Record<string, { value: unknown }>;
}
interface Operation {
  operationId: string;
  security: object[];
  parameters: { name?: string; schema: object }[];
  requestBody: { content: { 'application/json': Media } };
  responses: Record<
    string,
    { description: string; headers: object; links?: object; content: { 'application/json': Media } }
  >;
}
interface ReadDocument {
  openapi: string;
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<
    string,
    Record<string, { properties: Record<string, object>; value: unknown; additionalProperties?: boolean }>
  >;
}

let texts: DocumentTexts;
let document: ReadDocument;
let routes: readonly Route[];

beforeAll(async () => {
  const application: INestApplication = await NestFactory.create(ToysModule, { logger: false });
  application.setGlobalPrefix('v1', { exclude: [{ path: 'none', method: RequestMethod.ALL }] });
  routes = discoverRoutes(
    [{ name: 'toys', modules: [{ controllers: [ToysController, ShelvesController] }] }],
    '/v1',
  ).routes;
  const servers = [
    { url: 'https://animal-store.example/v1', description: 'Production' },
    { url: 'https://staging.animal-store.example/v1', description: 'Staging' },
  ];
  const sunsetOf = (route: Route) => (route.deprecated === undefined ? undefined : Date.parse('2031-02-28'));
  const announcementOf = (route: Route) =>
    route.deprecated && {
      headers: { Deprecation: '@1764892800', Sunset: 'Fri, 28 Feb 2031 00:00:00 GMT' },
      links: ['<https://animal-store.example/docs#getToy>; rel="deprecation"'],
    };
  const urls = new PublicUrls(servers[0]!.url);
  const source = {
    application,
    product: animalStore,
    features: [toys],
    routes,
    servers,
    urls,
    sunsetOf,
    announcementOf,
  };
  texts = documentTexts(buildOpenApiDocument(source));
  document = JSON.parse(texts.json) as ReadDocument;
});

const operation = (method: string, path: string): Operation => document.paths[path]![method]!;

describe('the OpenAPI document', () => {
  it('is OpenAPI 3.1 and comes out clean under the recommended rules of Redocly', async () => {
    expect(document.openapi).toBe('3.1.0');
    // As text: the type of this object is so large that the compiler and the linter would need seconds to compare it.
    const config = await createConfig('extends: [recommended]');
    const problems = await lintFromString({ source: texts.json, config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toStrictEqual([]);
  });

  it('has paths relative to the servers, and operations called by their handlers', () => {
    expect(Object.keys(document.paths)).toEqual(['/toys', '/toys/{toyId}', '/toys/open', '/shelves']);
    expect(operation('get', '/toys').operationId).toBe('listToys');
    expect(document.servers.map(({ url }) => url)).toEqual([
      'https://animal-store.example/v1',
      'https://staging.animal-store.example/v1',
    ]);
  });

  it('says the same as YAML', () => {
    expect(parseYaml(texts.yaml)).toEqual(document);
  });

  it('prints int64 bounds and examples as exact digits', () => {
    expect(texts.json).toContain('"maximum": 9223372036854775807');
    expect(texts.json).toContain('"minimum": -9223372036854775808');
    expect(texts.yaml).toContain('maximum: 9223372036854775807');
    expect(texts.json).toContain('"shelf": 9007199254740993');
    expect(document.components['schemas']!['Toy']!.properties['id']).toMatchObject({ minimum: 1 });
  });

  it('asks every operation that is not open for a key', () => {
    expect(document.components['securitySchemes']).toEqual({
      bearerAuth: { type: 'http', scheme: 'bearer', description: expect.stringContaining('API key') },
    });
    expect(operation('get', '/toys').security).toEqual([{ bearerAuth: [] }]);
    expect(operation('get', '/toys/open').security).toEqual([]);
    expect(operation('get', '/toys/open').responses).not.toHaveProperty('401');
  });

  it('shows the scopes, where they are needed and what they allow', () => {
    expect(operation('get', '/toys')).toMatchObject({
      description: expect.stringMatching(/Needs the scope `toys:read`\.$/),
    });
    expect(operation('post', '/toys')).toMatchObject({ description: expect.stringMatching(/`toys:write`\.$/) });
    expect(operation('get', '/toys/{toyId}')).not.toMatchObject({ description: expect.stringContaining('scope') });
    expect(document.tags).toEqual([
      { name: 'toys', description: 'Scopes: `toys:read` (List toys), `toys:write` (Add toys)' },
      { name: 'furniture', description: 'The operations of furniture' },
    ]);
  });

  it('names the list of a schema, and has one schema for one enumeration', () => {
    const get = operation('get', '/toys');
    const post = operation('post', '/toys');
    expect(get.responses[200]!.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Toys' });
    expect(document.components['schemas']!['Toys']!).toMatchObject({ items: { $ref: '#/components/schemas/Toy' } });
    const colour = { $ref: '#/components/schemas/Colour' };
    expect(get.parameters.find(({ name }) => name === 'colour')?.schema).toEqual(colour);
    expect(document.components['schemas']!['Toy']!.properties['colour']).toEqual(colour);
    expect(post.requestBody.content['application/json'].schema).toEqual({ $ref: '#/components/schemas/NewToy' });
    expect(Object.keys(document.components['schemas']!).sort()).toEqual(['Colour', 'Error', 'NewToy', 'Toy', 'Toys']);
  });

  it('closes the schema of a body and leaves that of an answer open', () => {
    expect(document.components['schemas']!['NewToy']!.additionalProperties).toBe(false);
    expect(document.components['schemas']!['Toy']!).not.toHaveProperty('additionalProperties');
  });

  it('declares the statuses that the route can answer', () => {
    const statuses = (path: string, method: string): string[] => Object.keys(operation(method, path).responses);
    const everywhere = ['400', '406', '408', '414', '431', '500', '503'];
    const keyed = [...everywhere, '401', '429'];
    expect(statuses('/toys', 'get')).toEqual([...keyed, '200', '304', '403'].sort());
    expect(statuses('/toys', 'post')).toEqual([...keyed, '201', '403', '409', '413', '415', '422'].sort());
    expect(statuses('/toys/{toyId}', 'get')).toEqual([...keyed, '200', '304', '409', '410'].sort());
    expect(statuses('/toys/open', 'get')).toEqual([...everywhere, '200', '304'].sort());
  });

  it('has an example of the Error for each code, the feature’s own too', () => {
    const examples = operation('post', '/toys').responses[409]!.content['application/json'].examples;
    expect(Object.keys(examples)).toEqual(['idempotency_key_in_use', 'toy_broken']);
    expect(document.components['examples']!['toy_broken']!.value).toEqual({
      code: 'toy_broken',
      message: 'The toy is broken.',
      status: statusOfCategory.conflict,
    });
  });

  it('declares headers where they are answered', () => {
    const get = operation('get', '/toys');
    const post = operation('post', '/toys');
    const headers = (response: { headers: object }): string[] => Object.keys(response.headers);
    expect(headers(get.responses[200]!)).toEqual(expect.arrayContaining(['ETag', 'Link', 'RateLimit', 'X-Request-Id']));
    expect(headers(get.responses[401]!)).toContain('WWW-Authenticate');
    expect(headers(get.responses[429]!)).toContain('Retry-After');
    expect(headers(post.responses[201]!)).toEqual(expect.arrayContaining(['Location', 'Idempotent-Replayed']));
    const deprecated =
      operation('get', '/toys/{toyId}').responses[404] ?? operation('get', '/toys/{toyId}').responses[410]!;
    expect(headers(deprecated)).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
  });

  it('has what each operation sends as the examples of its headers', () => {
    const example = (method: string, path: string, status: number, name: string): unknown => {
      const { $ref } = (operation(method, path).responses[status]!.headers as Record<string, { $ref: string }>)[name]!;
      return (document.components['headers'] as unknown as Record<string, { example: unknown }>)[$ref.split('/')[3]!]!
        .example;
    };
    const next = '<https://animal-store.example/v1/toys?limit=2&cursor=MTo3Og>; rel="next"';
    expect(example('get', '/toys', 200, 'Link')).toBe(next);
    expect(example('post', '/toys', 201, 'Location')).toBe('https://animal-store.example/v1/toys/1');
    expect(example('post', '/toys', 401, 'WWW-Authenticate')).toBe('Bearer realm="animal-store"');
    expect(example('post', '/toys', 403, 'WWW-Authenticate')).toMatch(
      /error="insufficient_scope", scope="toys:write"$/,
    );
    for (const status of [200, 304, 400]) {
      const link = '<https://animal-store.example/docs#getToy>; rel="deprecation"';
      expect(example('get', '/toys/{toyId}', status, 'Link')).toBe(link);
      expect(example('get', '/toys/{toyId}', status, 'Sunset')).toBe('Fri, 28 Feb 2031 00:00:00 GMT');
    }
  });

  it('says of a failure what it can be there', () => {
    const failure = (method: string, path: string, status: number) =>
      operation(method, path).responses[status]!.description;
    expect(failure('get', '/toys', 400)).toBe(
      'The request is malformed, has an unknown query parameter, has one with an invalid value, has one twice, or has a cursor that this list did not give out.',
    );
    expect(failure('post', '/toys', 400)).toMatch(/ has no body, .* lacks required fields, contains invalid values, /);
    expect(failure('get', '/toys/{toyId}', 400)).toBe(
      'The request is malformed or has an unknown query parameter. The toy is odd.',
    );
    expect(failure('post', '/toys', 409)).toMatch(/still being worked on\. The toy is broken\.$/);
    expect(failure('get', '/toys/{toyId}', 409)).toBe('The toy is lent.');
  });

  it('says for every code of the platform’s that is a 400 what is wrong', () => {
    const malformed = Object.values(coreErrors).filter(({ category }) => category === 'malformed');
    for (const code of malformed)
      expect(errorResponse(400, [code])).toHaveProperty('description', expect.stringMatching(/^The request \w+ /));
  });

  it('links what was made to the operation that fetches it', () => {
    expect(operation('post', '/toys').responses[201]!.links).toEqual({
      getToy: { operationId: 'getToy', parameters: { toyId: '$response.body#/id' } },
    });
  });

  it('marks deprecated and unstable operations, and only those, with the day that a sunset was moved to', () => {
    expect(operation('get', '/toys/{toyId}')).toMatchObject({
      deprecated: true,
      description: expect.stringContaining('To be removed on 2031-02-28.'),
      'x-deprecated-sunset': '2031-02-28',
      'x-stability': 'beta',
    });
    expect(operation('get', '/toys')).not.toHaveProperty('deprecated');
    expect(operation('get', '/toys')).not.toHaveProperty('x-stability');
  });

  it('keeps the example of a parameter where Swagger UI looks for it', () => {
    expect(operation('get', '/toys/{toyId}').parameters[0]).toEqual({
      name: 'toyId',
      in: 'path',
      required: true,
      schema: { type: 'integer', format: 'int64', minimum: 1, maximum: 9223372036854776000 },
      example: 1,
    });
  });

  it('makes an example of a body from the examples of its fields', () => {
    expect(operation('post', '/toys').requestBody.content['application/json'].example).toEqual({
      shelf: 9007199254740992,
      colour: 'red',
    });
    expect(operation('get', '/toys').responses[200]!.content['application/json'].example).toEqual([
      { id: 1, colour: 'red' },
    ]);
  });

  it('says what @ApiOperation, @ApiTags and @ApiExtension say', () => {
    expect(operation('post', '/shelves')).toMatchObject({
      operationId: 'buildShelf',
      summary: 'buildShelf',
      tags: ['furniture'],
      deprecated: true,
      'x-room': 'attic',
    });
    expect(operation('get', '/toys')).toMatchObject({ tags: ['toys'] });
  });

  it('says what @ApiResponse says of a failure, whose body is the Error', () => {
    const { responses } = operation('post', '/shelves');
    expect(responses[403]).toMatchObject({ description: 'Only the carpenter may.', headers: { 'X-Request-Id': {} } });
    for (const status of [402, 403, 418]) {
      expect(responses[status]!.content['application/json']).toEqual({
        schema: { $ref: '#/components/schemas/Error' },
      });
    }
    expect(responses[402]!.description).toBe('The request failed.');
    expect(responses[201]!.description).toBe('Built.');
    expect(Object.keys(responses)).toContain('429');
  });
});
