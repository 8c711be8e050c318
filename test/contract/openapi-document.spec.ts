import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { parse as parseYaml } from 'yaml';
import { storeKey } from '../support/api-keys.js';
import { projectFolder, runCommand } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

interface Parameter {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
  readonly schema?: object;
}

interface Schema {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, object>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, { schema: object }>> };
  readonly deprecated?: boolean;
  readonly security: readonly object[];
  readonly responses: Readonly<Record<string, { readonly headers: object; readonly links?: object; content?: object }>>;
}

interface ReadDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: object;
    readonly headers: Readonly<Record<string, { readonly example?: string }>>;
  };
}

/** The committed document. A change of what clients see changes this file, so that a review sees it. */
const committed = readFileSync(join(projectFolder, 'openapi.json'), 'utf8');
const document = JSON.parse(committed) as ReadDocument;
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const operation = (id: string): Operation => operations.find(({ operationId }) => operationId === id)!;

function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    name === 'pattern' && typeof inner === 'string' ? [inner] : patternsIn(inner),
  );
}

describe('the committed document', () => {
  const nowhere = { url: 'sqlite:unused.sqlite' };

  it('is printed without waiting for what the service needs', async () => {
    const { code, stdout } = await runCommand(nowhere, ['openapi'], { REDIS_URL: 'redis://127.0.0.1:1' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('openapi', '3.1.0');
  });

  it('is what the command prints (otherwise: npm run openapi)', async () => {
    const { code, stdout } = await runCommand(nowhere, ['openapi']);
    expect(code).toBe(0);
    expect(stdout).toBe(committed);
  });

  it('has nothing of a feature that is off', async () => {
    const { code, stdout } = await runCommand(nowhere, ['openapi'], { FEATURES_OFF: 'pets' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveProperty('paths', {});
  });

  it('is the same as YAML', async () => {
    const { stdout } = await runCommand(nowhere, ['openapi', '--yaml']);
    for (const version of ['1.1', '1.2'] as const) {
      expect(parseYaml(stdout, { intAsBigInt: true, version })).toEqual(parseYaml(committed, { intAsBigInt: true }));
    }
  });

  it.each(patternsIn(document))('has a pattern that ECMA-262, PCRE, RE2, Java and Python read alike: %s', (pattern) => {
    // Allows only escapes of two hexadecimal digits and of punctuation, and capturing groups. Lazy and possessive
    // quantifiers are refused.
    const rest = pattern.replace(/\\(?:x[\da-f]{2}|[^\w\s])/gi, '');
    expect(rest).not.toMatch(/\\|\(\?|[+*?}][+?]/);
    expect(pattern).toMatch(/^\^/);
  });

  it('comes out clean under the recommended rules of Redocly', async () => {
    // As text, since the compiler and the linter need seconds each for the type of such an object.
    const config = await createConfig('extends: [recommended]');
    const problems = await lintFromString({ source: committed, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('is named, versioned and numbered', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Animal Store', version: '1.0.0' } });
    expect(document.servers).toEqual([
      { url: 'https://animal-store.example/v1', description: 'Production' },
      { url: 'https://staging.animal-store.example/v1', description: 'Staging' },
    ]);
  });

  it('has the three operations, each behind the bearer key', () => {
    const found = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method} ${path}`),
    );
    expect(found).toEqual(['listPets: get /pets', 'createPet: post /pets', 'getPet: get /pets/{petId}']);
    for (const { security } of operations) expect(security).toEqual([{ bearerAuth: [] }]);
    expect(document.components.securitySchemes).toEqual({
      bearerAuth: { type: 'http', scheme: 'bearer', description: expect.any(String) },
    });
  });

  it('has the five schemas, each once', () => {
    const { Pet, NewPet, ...others } = document.components.schemas;
    expect(Object.keys(others).sort()).toEqual(['Error', 'PetStatus', 'Pets']);
    expect(Pet?.required).toEqual(['id', 'name', 'categoryId']);
    expect(NewPet?.required).toEqual(['name', 'categoryId']);
    expect(others['Error']?.required).toEqual(['code', 'message', 'status']);
    expect(committed.match(/"pending"/g)).toHaveLength(1);
  });

  it('has each field as what it is, one schema of the status for query, body and answer', () => {
    const { Pet, NewPet, PetStatus, Pets, Error } = document.components.schemas;
    const int64 = expect.objectContaining({ type: 'integer', format: 'int64' });
    const status = expect.objectContaining({ $ref: '#/components/schemas/PetStatus' });
    const fields = { name: expect.objectContaining({ type: 'string' }), categoryId: int64, status };
    expect(NewPet?.properties).toEqual(fields);
    expect(Pet?.properties).toEqual({ id: int64, ...fields });
    expect(PetStatus).toEqual({ type: 'string', enum: ['available', 'pending', 'sold'] });
    expect(Pets).toMatchObject({ type: 'array', items: { $ref: '#/components/schemas/Pet' } });
    expect(Error?.properties).toMatchObject({
      code: { type: 'string' },
      message: { type: 'string' },
      status: { type: 'integer' },
    });
  });

  it('has the parameters and the body of each operation', () => {
    const own = (id: string): readonly Parameter[] => operation(id).parameters.filter(({ name }) => name !== undefined);
    const limit = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
    const status = { $ref: '#/components/schemas/PetStatus' };
    expect(own('listPets')).toMatchObject([
      { name: 'limit', in: 'query', required: false, schema: limit },
      { name: 'cursor', in: 'query', required: false, schema: { type: 'string' } },
      { name: 'status', in: 'query', required: false, schema: status },
    ]);
    expect(own('createPet')).toEqual([]);
    expect(own('getPet')).toMatchObject([
      { name: 'petId', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } },
    ]);
    const newPet = { schema: { $ref: '#/components/schemas/NewPet' } };
    expect(operation('createPet').requestBody).toMatchObject({
      required: true,
      content: { 'application/json': newPet },
    });
    for (const id of ['listPets', 'getPet']) expect(operation(id).requestBody).toBeUndefined();
  });

  it('prints the bounds of int64 as exact digits', () => {
    expect([...committed.matchAll(/"maximum": (9\d{18})/g)].map(([, digits]) => digits)).toStrictEqual(
      Array.from({ length: 4 }, () => '9223372036854775807'),
    );
    expect(committed.match(/"minimum": -9223372036854775808,/g)).toHaveLength(2);
  });

  it('marks getPet alone as deprecated, until when, and no operation as unstable', () => {
    expect(operations.filter(({ deprecated }) => deprecated)).toEqual([
      expect.objectContaining({ operationId: 'getPet', 'x-deprecated-sunset': '2030-12-05' }),
    ]);
    expect(committed).not.toContain('x-stability');
  });

  it('declares the failures of each operation, every one with headers and an example', () => {
    const any = ['400', '401', '403', '406', '408', '414', '429', '431', '500', '503'];
    expect(Object.keys(operation('listPets').responses)).toEqual([...any, '200', '304'].sort());
    expect(Object.keys(operation('createPet').responses)).toEqual([...any, '201', '409', '413', '415', '422'].sort());
    expect(Object.keys(operation('getPet').responses)).toEqual([...any, '200', '304', '404', '410'].sort());
    for (const { responses } of operations) {
      for (const [status, { headers, content }] of Object.entries(responses)) {
        expect(Object.keys(headers)).toEqual(expect.arrayContaining(['X-Request-Id', 'X-Content-Type-Options']));
        if (status !== '304') expect(JSON.stringify(content)).toMatch(/"examples?":/);
      }
    }
  });

  it('links createPet to getPet', () => {
    expect(operation('createPet').responses['201']?.links).toEqual({
      getPet: { operationId: 'getPet', parameters: { petId: '$response.body#/id' } },
    });
  });
});

describe('the served document', () => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    const env = {
      PUBLIC_BASE_URL: 'https://animal-store.example/v1',
      STAGING_BASE_URL: 'https://staging.animal-store.example/v1',
    };
    service = await Service.start({ database, env });
    client = new HttpClient(service.url);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('is the committed one, with the configured servers, to anyone', async () => {
    const answer = await client.get('/openapi.json');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.text).toBe(committed);
    const yaml = await client.get('/openapi.yaml');
    expect([yaml.status, yaml.headers.get('content-type')]).toEqual([200, 'application/yaml']);
    expect(parseYaml(yaml.text)).toEqual(document);
  });

  it('has the headers that are sent as examples', async () => {
    const example = (id: string, status: number, name: string): string | undefined => {
      const headers = operation(id).responses[status]!.headers as Readonly<Record<string, { $ref: string }>>;
      return document.components.headers[headers[name]!.$ref.split('/').at(-1)!]!.example;
    };
    const key = await storeKey(database);
    const holder = new HttpClient(service.url, key);
    const writer = new HttpClient(service.url, await storeKey(database, { scopes: ['pets:write'] }));
    const pet = { name: 'Lumi', categoryId: 7 };
    const made = await holder.post('/v1/pets', pet);
    expect(made.headers.get('location')).toBe(example('createPet', 201, 'Location'));
    for (let more = 0; more < 2; more++) await holder.post('/v1/pets', pet);
    const withoutCursor = (link: string | null | undefined) => link?.replace(/cursor=[\w-]+/, 'cursor=');
    const page = await holder.get('/v1/pets?limit=2');
    expect(withoutCursor(page.headers.get('link'))).toBe(withoutCursor(example('listPets', 200, 'Link')));
    const answers = [
      [200, await holder.get('/v1/pets/1')],
      [404, await holder.get('/v1/pets/9')],
      [401, await client.get('/v1/pets/1')],
      [403, await writer.get('/v1/pets/1')],
    ] as const;
    for (const [status, { headers }] of answers) {
      const names = ['Link', 'Deprecation', 'Sunset', 'X-Content-Type-Options'];
      for (const name of status === 401 || status === 403 ? [...names, 'WWW-Authenticate'] : names) {
        expect([status, name, headers.get(name)]).toStrictEqual([status, name, example('getPet', status, name)]);
      }
    }
  });

  it('has the methods that each path knows, and no other', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      const { headers } = await client.request('OPTIONS', `/v1${path.replace('{petId}', '1')}`);
      const declared = Object.keys(methods).map((method) => method.toUpperCase());
      const implied = declared.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
      expect(headers.get('allow')?.split(', ').sort()).toEqual([...declared, ...implied].sort());
    }
  });

  it.each([
    ['/docs/', 'GET'],
    ['/openapi', 'GET'],
    ['/docs/assets/swagger-initializer.js', 'GET'],
    ['/', 'GET'],
    ['/', 'POST'],
  ])('leaves nothing at %s to %s', async (path, method) => {
    expect(await client.request(method, path)).toBeErrorShape(404, 'route_not_found');
  });

  it('sends a browser from / to the page', async () => {
    const answer = await client.get('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect([answer.status, answer.headers.get('location')]).toEqual([302, './docs']);
  });

  it('links the guide, which is docs/api.md and needs no key', async () => {
    const { externalDocs } = (await client.get('/openapi.json')).json() as { externalDocs: { url: string } };
    expect(new URL(externalDocs.url).pathname).toBe('/docs/api.md');
    const guide = await client.get('/docs/api.md');
    expect(guide.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(guide.text).toBe(readFileSync(join(projectFolder, 'docs/api.md'), 'utf8'));
    expect((await client.get('/docs')).text).toContain('href="./docs/api.md"');
  });

  it.each(['/docs', '/docs/api.md', '/openapi.json', '/openapi.yaml'])('answers 405 with Allow at %s', async (path) => {
    const answer = await client.request('DELETE', path);
    expect(answer).toBeErrorShape(405, 'method_not_allowed');
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });
});
