import { describe, expect, it } from '@jest/globals';
import { onEachEngine } from '../../support/engines.js';
import { HttpClient, type Answer, type RequestOptions } from '../../support/http.js';
import { metricValue } from '../../support/metrics.js';
import type { LogLine } from '../../support/service.js';
import { startTwins } from '../../support/twins.js';

type Sent = readonly [request: string, body?: unknown, headers?: Readonly<Record<string, string>>];

/** The message of a failure; several messages of Nest are joined. */
const wordsOf = (answer: Answer): string =>
  [(answer.json() as { message: string | string[] }).message].flat().join('; ');

/** Exceptions of the books module, each with the code of its response. */
const BELOW_500 = {
  conflict: 'conflict',
  unprocessable: 'unprocessable',
  precondition: 'precondition_failed',
  payment: 'payment_required',
  lent: 'conflict',
  missing: 'not_found',
  unauthorized: 'unauthorized',
  forbidden: 'forbidden',
  gone: 'gone',
  teapot: 'im_a_teapot',
  locked: 'locked',
  several: 'bad_request',
  coded: 'shelf_full',
  miscoded: 'conflict',
  wordless: 'not_found',
};

/** The fields of `POST shelves/parts`. */
const PARTS = {
  board: { $ref: '#/components/schemas/Board' },
  since: { type: 'string', format: 'date-time' },
  open: { type: 'boolean' },
  tags: { type: 'array', items: {} },
  more: {},
};

const JSON_BODY = { name: 'A', height: 3 };
const UUID = '4bd3f4f0-7f4b-4d3a-9c50-0b3f5a7cbb11';

onEachEngine('ordinary modules', (engine) => {
  const twins = startTwins({
    modules: '../extension/ordinary/modules/index.ts',
    features: ['../extension/ordinary/ordinary.features.ts', '../extension/ordinary/modules/diary/diary.feature.ts'],
    env: { WEATHER_UNIT: 'kelvin' },
    createDatabase: () => engine.createDatabase(),
  });

  async function ask([request, body, headers = {}]: Sent): Promise<{ plain: Answer; featured: Answer }> {
    const [method = '', path = ''] = request.split(' ');
    const options: RequestOptions = { headers, ...(body !== undefined && { body }) };
    return twins.both(method, `/v1/${path}`, options);
  }

  describe('exceptions', () => {
    it.each(Object.entries(BELOW_500))('keep their status and their words: %s', async (how, code) => {
      const { plain, featured } = await ask([`GET books/fails/${how}`]);
      expect(featured).toBeErrorShape(plain.status, code);
      expect(wordsOf(featured)).toBe(wordsOf(plain));
      expect(featured.headers.get('www-authenticate')).toBeNull();
    });

    it('have some words where they say none that a person can read', async () => {
      expect(await twins.featured.get('/v1/books/fails/object')).toBeErrorShape(409, 'conflict');
    });

    it('below 500 are no faults of the feature: no count, and no error in the log', async () => {
      const faults = (): Promise<number> =>
        metricValue(twins.service.managementUrl, 'animal_store_feature_faults_total', 'feature="books",kind="error"');
      const errors = (): readonly LogLine[] => twins.service.log.filter(({ level }) => level === 'error');
      const [before, lines] = [await faults(), errors().length];
      for (const how of Object.keys(BELOW_500)) await twins.featured.get(`/v1/books/fails/${how}`);
      // This one is a fault. It is counted and logged after the others.
      await twins.featured.get('/v1/books/fails/internal');
      await twins.service.untilLogged(() => errors().length > lines);
      while ((await faults()) <= before) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await faults()).toBe(before + 1);
      expect(errors().slice(lines)).toMatchObject([{ event: 'request.failed', feature: 'books' }]);
    });

    it.each([
      ['internal', 500, 'internal_error'],
      ['gateway', 502, 'bad_gateway'],
      ['unavailable', 503, 'service_unavailable'],
      ['notImplemented', 501, 'not_implemented'],
    ])('from 500 on say nothing of what is inside: %s', async (how, status, code) => {
      const { plain, featured } = await ask([`GET books/fails/${how}`]);
      expect(plain.status).toBe(status);
      expect(featured).toBeErrorShape(status, code);
      expect(featured.text).not.toMatch(/4711|10\.0\.0\.7|q7|secret/);
    });

    it('of a guard of its own, and a filter of its own', async () => {
      const closed = await ask(['GET books/closed']);
      expect(closed.featured).toBeErrorShape(403, 'forbidden');
      expect(wordsOf(closed.featured)).toBe(wordsOf(closed.plain));
      const printed = await ask(['GET books/printed']);
      expect([printed.featured.status, printed.featured.text]).toEqual([printed.plain.status, printed.plain.text]);
    });

    it('a missing key is reported as before', async () => {
      const { plain } = await ask(['GET books/closed']);
      expect(plain.status).toBe(403);
      const answer = await twins.featured.get('/v1/books/closed', { headers: { authorization: 'Bearer nothing' } });
      expect(answer).toBeErrorShape(401, 'invalid_api_key');
    });
  });

  describe('what handlers take', () => {
    it.each<Sent>([
      ['GET shelves?page=2&empty=true'],
      ['GET shelves'],
      ['GET shelves/search'],
      ['GET shelves/search?page=3&wood=oak&tall=true&ids=1,2,3&ratio=0.5'],
      ['GET shelves/plain?limit=7&open=true&name=x'],
      ['GET shelves/plain'],
      ['GET shelves/any?a=1&b=2&b=3'],
      ['GET shelves/tags?tag=a&tag=b'],
      ['GET shelves/decorated?page=9&tag=x', undefined, { 'accept-language': 'fr', 'x-card': '7' }],
      ['GET shelves/decorated', undefined, { 'accept-language': 'fr', 'x-card': '7' }],
      ['GET shelves/rooms/7/abc'],
      [`GET shelves/uuid/${UUID}`],
      ['GET shelves/12'],
      ['POST shelves', JSON_BODY],
      ['POST shelves', { name: 'B', board: { width: 3 } }],
      ['POST shelves/named', { name: 'A', height: 3 }],
      ['POST shelves/named', { name: 'A' }],
      ['POST shelves/wrapped', { shelf: JSON_BODY }],
      ['POST shelves/piped/7', { name: ' a ', by: ' b ' }],
      [
        'POST shelves/parts',
        { board: { width: 3 }, since: '2030-12-05T00:00:00.000Z', open: true, tags: ['a'], more: { b: [] } },
      ],
      ['POST shelves/described', JSON_BODY],
      ['POST shelves/note', { text: 'x', more: [1, { a: null }] }],
      ['POST shelves/list', [JSON_BODY, { name: 'B' }]],
      ['POST shelves/guarded', { name: 'Ada' }],
      ['PUT shelves/whole', JSON_BODY],
      ['PATCH shelves/7', { height: 4 }],
      ['DELETE shelves/7'],
      ['GET ships'],
      ['GET ships/7'],
      ['POST ships', { name: 'A' }],
      ['GET captains'],
      ['GET captains/7'],
      ['POST captains', { name: 'A' }],
    ])('%s %j', async (...sent) => {
      const { plain, featured } = await ask(sent);
      expect(plain.status).toBeLessThan(300);
      expect([featured.status, featured.text]).toEqual([plain.status, plain.text]);
    });

    it.each<readonly [code: string, ...Sent]>([
      ['invalid_parameter', 'GET shelves/search?wood=steel'],
      ['invalid_parameter', 'GET shelves/search?ids=1,x'],
      ['invalid_parameter', 'GET shelves/uuid/7'],
      ['invalid_parameter', 'GET shelves/x'],
      ['invalid_parameter', 'POST shelves/piped/x', { name: 'a', by: 'b' }],
      ['invalid_field', 'POST shelves/piped/7', { name: 7, by: 'b' }],
      ['invalid_field', 'POST shelves/piped/7', { name: 'a' }],
      ['invalid_field', 'POST shelves/list', [{ name: 7 }]],
      ['forbidden', 'POST shelves/guarded', { name: 'Bob' }],
    ])('pipes keep their words: %s for %s %j', async (code, ...sent) => {
      const { plain, featured } = await ask(sent);
      expect(featured).toBeErrorShape(plain.status, code);
      expect(wordsOf(featured)).toBe(wordsOf(plain));
    });

    it('pipes of parameters come before those of a body', async () => {
      const { featured } = await ask(['POST shelves/piped/x', { name: 7, by: 'b' }]);
      expect(featured).toBeErrorShape(400, 'invalid_parameter');
      expect(wordsOf(featured)).toContain('numeric string');
    });

    it.each<readonly [code: string, word: string, ...Sent]>([
      ['invalid_parameter', 'room', 'GET shelves/rooms/0/abc'],
      ['invalid_parameter', 'shelf', 'GET shelves/rooms/7/abcd'],
      ['invalid_parameter', 'page', 'GET shelves?page=0'],
      ['missing_field', 'name', 'POST shelves', { height: 3 }],
      ['invalid_field', 'board.width', 'POST shelves', { name: 'A', board: { width: 10 } }],
      ['missing_field', 'shelf.name', 'POST shelves/wrapped', { shelf: {} }],
    ])('DTOs refuse what they refuse in plain Nest: %s, %s, for %s %j', async (code, word, ...sent) => {
      const { plain, featured } = await ask(sent);
      expect(plain.status).toBe(400);
      expect(featured).toBeErrorShape(400, code);
      expect(wordsOf(featured)).toContain(word);
    });

    it.each<readonly [code: string, word: string, ...Sent]>([
      ['unknown_parameter', 'other', 'GET shelves?other=1'],
      ['unknown_parameter', 'other', 'GET shelves/search?other=1'],
      ['duplicate_parameter', 'limit', 'GET shelves/plain?limit=1&limit=2'],
      ['invalid_parameter', 'limit', 'GET shelves/plain?limit=x'],
      ['invalid_parameter', 'open', 'GET shelves/plain?open=7'],
      // A transforming validation pipe would first make NaN or false of these values, which the default would replace.
      ['invalid_parameter', 'numeric string', 'GET shelves/search?page=x'],
      ['invalid_parameter', 'boolean string', 'GET shelves/search?tall=maybe'],
      ['unknown_field', 'other', 'POST shelves', { name: 'A', other: 1 }],
      ['unknown_field', 'other', 'POST shelves/named', { name: 'A', other: 1 }],
      ['unknown_field', 'shelf', 'POST shelves/wrapped', { shelf: { name: 'A', other: 1 } }],
      ['invalid_field', 'name', 'POST shelves/named', { name: 7 }],
      ['missing_field', 'shelf', 'POST shelves/wrapped', {}],
    ])('what the platform adds: %s, %s, for %s %j', async (code, word, ...sent) => {
      const { featured } = await ask(sent);
      expect(featured).toBeErrorShape(400, code);
      expect(wordsOf(featured)).toContain(word);
    });
  });

  it('the document has the properties of a DTO with class-validator alone, and every route of its controller', async () => {
    const { paths, components } = (await twins.featured.get('/openapi.json')).json() as {
      paths: Readonly<Record<string, object>>;
      components: { schemas: Readonly<Record<string, object>> };
    };
    expect(components.schemas['CreateShelfDto']).toMatchObject({
      required: ['name'],
      properties: { name: { type: 'string', minLength: 1, maxLength: 20 }, height: { type: ['integer', 'null'] } },
    });
    expect(components.schemas['Board']).toMatchObject({
      required: ['width'],
      properties: { width: { type: 'integer', minimum: 1, maximum: 9 } },
    });
    const listed = Object.entries(paths)
      .filter(([path]) => /^\/shelves(\/|$)/.test(path))
      .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));
    expect(listed.sort()).toStrictEqual([
      'delete /shelves/{id}',
      'get /shelves',
      'get /shelves/any',
      'get /shelves/decorated',
      'get /shelves/plain',
      'get /shelves/rooms/{room}/{shelf}',
      'get /shelves/search',
      'get /shelves/tags',
      'get /shelves/uuid/{id}',
      'get /shelves/{id}',
      'patch /shelves/{id}',
      'post /shelves',
      'post /shelves/described',
      'post /shelves/guarded',
      'post /shelves/list',
      'post /shelves/named',
      'post /shelves/note',
      'post /shelves/parts',
      'post /shelves/piped/{id}',
      'post /shelves/wrapped',
      'put /shelves/whole',
    ]);
  });

  describe('what handlers take by its name is in the document', () => {
    interface Documented {
      readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
      readonly requestBody?: {
        readonly required: boolean;
        readonly content: Readonly<Record<string, { schema: object }>>;
      };
    }
    const documented = async (method: string, path: string): Promise<Documented> => {
      const { paths } = (await twins.featured.get('/openapi.json')).json() as {
        paths: Readonly<Record<string, Readonly<Record<string, Documented>>>>;
      };
      return paths[path]![method]!;
    };

    it.each([
      ['/shelves/wrapped', { shelf: { $ref: '#/components/schemas/CreateShelfDto' } }, ['shelf']],
      ['/shelves/named', { name: { type: 'string' }, height: { type: 'number' } }, undefined],
      ['/shelves/piped/{id}', { name: { type: 'string' }, by: { type: 'string' } }, ['name', 'by']],
      ['/shelves/parts', PARTS, ['board', 'since']],
    ])('fields of a body are one object: %s', async (path, properties, required) => {
      const { requestBody } = await documented('post', path);
      expect(requestBody?.required).toBe(required !== undefined);
      const schema = { type: 'object', properties, additionalProperties: false, ...(required && { required }) };
      expect(requestBody?.content).toMatchObject({ 'application/json': { schema } });
      expect(Object.keys(requestBody?.content['application/json']?.schema ?? {}).sort()).toStrictEqual(
        Object.keys(schema).sort(),
      );
    });

    it('what a feature says of the body itself stays', async () => {
      const { requestBody } = await documented('post', '/shelves/described');
      expect(requestBody?.content).toMatchObject({
        'application/json': { schema: { $ref: '#/components/schemas/CreateShelfDto' } },
      });
    });

    it.each([
      ['/shelves/plain', { limit: false, open: false, name: true }],
      ['/shelves/search', { page: false, wood: false, tall: false, ids: false, ratio: false }],
    ])('parameters that may be left out are not required: %s', async (path, expected) => {
      const { parameters } = await documented('get', path);
      const asked = parameters.filter((parameter) => parameter.in === 'query');
      expect(Object.fromEntries(asked.map(({ name, required }) => [name, required]))).toStrictEqual(expected);
    });
  });

  describe('what modules put around handlers', () => {
    it.each<Sent>([
      ['GET weather/unit'],
      ['POST weather/rain'],
      ['GET weather/cached'],
      ['GET weather/cached'],
      ['GET weather/station', undefined, { 'x-station': 'north' }],
      ['GET weather/envelope'],
      ['GET callers', undefined, { 'accept-language': 'fr' }],
    ])('%s', async (...sent) => {
      const { plain, featured } = await ask(sent);
      expect(plain.status).toBeLessThan(300);
      expect([featured.status, featured.text]).toEqual([plain.status, plain.text]);
      expect(featured.headers.get('x-weather')).toBe(plain.headers.get('x-weather'));
    });

    it('guards refuse, events are heard, jobs run after the hooks', async () => {
      expect((await ask(['GET weather/station'])).featured).toBeErrorShape(403, 'forbidden');
      const { plain, featured } = await ask(['GET weather/journal']);
      expect(featured.text).toBe(plain.text);
      expect(featured.json()).toEqual({ entries: ['init', 'bootstrap', 'tick', 'rain 3'], hasTicked: true });
    });
  });

  describe('the lines of a Logger', () => {
    const diary = { feature: 'diary', level: 'info' };

    it.each([
      ['a handler', { ...diary, msg: 'Somebody asks for the diary', context: 'DiaryController' }],
      ['a service', { ...diary, msg: 'The diary is read', context: 'DiaryService' }],
      ['a service, with more', { ...diary, msg: 'The ink fades', level: 'warn', page: 7 }],
      ['a service, by an object', { ...diary, event: 'diary.read', pages: 2 }],
      ['a service, of an error', { ...diary, level: 'error', err: { message: 'A page is missing' } }],
      ['a service, of a stack', { ...diary, level: 'error', msg: 'A page is torn' }],
      ['a middleware', { ...diary, msg: 'The diary is opened', context: 'DiaryMiddleware' }],
      ['a listener', { ...diary, msg: 'A reader is noted' }],
    ])('have the feature and the request: %s', async (_who, expected) => {
      const { plain, featured } = await ask(['GET diary']);
      expect([featured.status, featured.text]).toEqual([plain.status, plain.text]);
      const line = await lineOf(expected, featured.headers.get('x-request-id'));
      expect(line).toMatchObject(expected);
    });

    it.each(['A page is turned', 'A page is written'])('have the feature in a job: %s', async (msg) => {
      const line = await twins.service.untilLogged((each) => each['msg'] === msg);
      expect(line).toMatchObject({ ...diary, context: 'DiarySchedule' });
      expect(line).not.toHaveProperty('request_id');
    });

    /** The log line of a request that has the given fields. Fields that are objects are not compared. */
    function lineOf(fields: object, request: string | null): Promise<LogLine> {
      const plain = Object.entries(fields).filter(([, value]) => typeof value !== 'object');
      return twins.service.untilLogged(
        (line) => line['request_id'] === request && plain.every(([name, value]) => line[name] === value),
      );
    }
  });

  describe('who is calling', () => {
    const clientWith = async (...scopes: string[]): Promise<HttpClient> =>
      new HttpClient(twins.service.url, await twins.service.createKey({ name: 'shop', scopes }));

    it('is known in handlers, services and guards: the client, the id of its key, its scopes', async () => {
      const reader = await clientWith('pets:read');
      const client = { name: 'shop', keyId: expect.stringMatching(/^\w{8}$/), scopes: ['pets:read'] };
      const me = (await reader.get('/v1/visitors/me')).json() as { handler: { keyId: string }; service: object };
      expect(me).toEqual({ handler: client, service: { ...client, mayRead: true } });
      expect(me.service).toMatchObject(me.handler);
      expect(await reader.get('/v1/visitors/writers')).toBeErrorShape(403, 'forbidden');
      const writer = await clientWith('pets:write');
      expect((await writer.get('/v1/visitors/writers')).json()).toEqual({ welcome: true });
      const anybody = await new HttpClient(twins.service.url).get('/v1/visitors/anybody');
      expect(anybody.json()).toEqual({ known: false, service: { mayRead: false } });
    });

    it('decides on single objects: what a client may not see is not there', async () => {
      const [reader, both] = [await clientWith('pets:read'), await clientWith('pets:read', 'pets:write')];
      const made = await both.post('/v1/pets', { name: 'shy', categoryId: 1 });
      const path = made.headers.get('location')!.replace(/^.*(?=\/v1\/)/, '');
      expect((await both.get(path)).status).toBe(200);
      expect(await reader.get(path)).toBeErrorShape(404, 'pet_not_found');
      expect((await both.get('/v1/pets')).text).toContain('"shy"');
      expect((await reader.get('/v1/pets')).text).not.toContain('"shy"');
    });
  });
});
