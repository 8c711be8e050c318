import { beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { onEachEngine } from '../support/engines.js';
import type { RawResponse } from '../support/raw-http.js';
import { serveOn } from '../support/served.js';

const STRONG = /^"[\x21\x23-\x7e]+"$/;
const PATHS = ['/v1/pets', '/v1/pets?limit=1', '/v1/pets?status=sold', '/v1/pets/1'];
/** RFC 9110 §15.4.5: the headers that a 304 repeats from the 200. */
const KEPT = ['etag', 'cache-control', 'vary', 'link', 'deprecation', 'sunset'];

onEachEngine('caching', (engine) => {
  const store = serveOn(engine);
  const create = (name: string) => store.client.post('/v1/pets', { name, categoryId: 7 });
  const get = (path: string, ...headers: string[]): Promise<RawResponse> => store.send(`GET ${path}`, { headers });
  const tagOf = async (path: string): Promise<string> => (await get(path)).headers.get('etag') ?? '';

  beforeAll(async () => {
    for (const name of ['one', 'two', 'three']) await create(name);
  });

  it.each(PATHS)('%s may be kept by its client and is asked for again', async (path) => {
    const answer = await get(path);
    expect(answer.headers.get('cache-control')).toBe('private, no-cache');
    expect(answer.headers.get('vary')).toBe('Authorization');
    expect(answer.headers.get('etag')).toMatch(STRONG);
    expect(answer.headers.get('last-modified')).toBeNull();
  });

  it.each(PATHS)('%s is not sent again: by GET and by HEAD', async (path) => {
    const whole = await get(path);
    const headers = [`If-None-Match: ${whole.headers.get('etag') ?? ''}`];
    for (const method of ['GET', 'HEAD']) {
      const connection = await store.connect();
      connection.send(Buffer.concat([store.bytes(`${method} ${path}`, { headers }), store.bytes('GET /v1/nope')]));
      const unchanged = await connection.receive();
      expect(unchanged.status).toBe(304);
      for (const name of KEPT) {
        expect([name, unchanged.headers.get(name)]).toEqual([name, whole.headers.get(name)]);
      }
      expect(unchanged.headers.get('content-type')).toBeNull();
      expect(unchanged.headers.get('content-length')).toBeNull();
      expect((await connection.receive()).status).toBe(404);
      connection.close();
    }
  });

  describe('If-None-Match', () => {
    it.each([
      ['the tag', (tag: string) => [tag]],
      ['the tag, weakly', (tag: string) => [`W/${tag}`]],
      ['a list with it in front', (tag: string) => [`${tag}, "x"`]],
      ['a list with it at the end', (tag: string) => [`"x", "y",W/"z",  ${tag}`]],
      ['a list with it, weakly', (tag: string) => [`"x",W/${tag}`]],
      ['a list with empty items', (tag: string) => [`, ,${tag},`]],
      ['a second line', (tag: string) => ['"x"', tag]],
      ['a star', () => ['*']],
      ['a star with spaces', () => ['  *  ']],
    ])('matches: %s', async (_, values) => {
      const lines = values(await tagOf('/v1/pets/1')).map((value) => `If-None-Match: ${value}`);
      expect((await get('/v1/pets/1', ...lines)).status).toBe(304);
    });

    it.each([
      ['empty', () => ''],
      ['another tag', () => '"x"'],
      ['a list of others', () => '"x", W/"y"'],
      ['the tag without its quotes', (tag: string) => tag.slice(1, -1)],
      ['half of the tag', (tag: string) => `${tag.slice(0, 5)}"`],
      ['the tag in another case', (tag: string) => (tag === tag.toLowerCase() ? tag.toUpperCase() : tag.toLowerCase())],
      ['a star in quotes', () => '"*"'],
      ['no list', (tag: string) => `x${tag}`],
    ])('does not match: %s', async (_, value) => {
      const answer = await get('/v1/pets/1', `If-None-Match: ${value(await tagOf('/v1/pets/1'))}`);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe('{"id":1,"name":"one","categoryId":7,"status":"available"}');
    });

    it('is ignored for a POST', async () => {
      const body = '{"name":"Rex","categoryId":7}';
      expect((await store.send('POST /v1/pets', { headers: ['If-None-Match: *'], body })).status).toBe(201);
    });

    it('does not hide a failure', async () => {
      const star = ['If-None-Match: *'];
      expect(await get('/v1/pets/999', ...star)).toBeErrorShape(404, 'pet_not_found');
      expect(await get('/v1/pets?limit=0', ...star)).toBeErrorShape(400, 'invalid_parameter');
      expect(await get('/v1/pets', ...star, 'Accept: text/html')).toBeErrorShape(406, 'not_acceptable');
      expect(await store.send('GET /v1/pets', { headers: star, key: null })).toBeErrorShape(401, 'missing_api_key');
    });
  });

  describe('ETag', () => {
    it('is the same while nothing changes, for every client', async () => {
      const other = await storeKey(store.database, { client: 'other' });
      const theirs = await store.send('GET /v1/pets', { key: other });
      expect(theirs.headers.get('etag')).toBe(await tagOf('/v1/pets'));
      expect(await tagOf('/v1/pets')).toBe(await tagOf('/v1/pets'));
    });

    it('is another for another body', async () => {
      expect(await tagOf('/v1/pets/1')).not.toBe(await tagOf('/v1/pets/2'));
    });

    it('is another for the same body with another Link', async () => {
      const [all, available] = await Promise.all([get('/v1/pets?limit=1'), get('/v1/pets?limit=1&status=available')]);
      expect(all.text).toBe(available.text);
      expect(all.headers.get('link')).not.toBe(available.headers.get('link'));
      expect(all.headers.get('etag')).not.toBe(available.headers.get('etag'));
    });

    it('changes when a page changes, even if only its link to a next page is new', async () => {
      const many = Number(await store.countPets());
      const before = await get(`/v1/pets?limit=${many}`);
      expect(before.headers.get('link')).toBeNull();
      await create('one more');
      const after = await get(`/v1/pets?limit=${many}`, `If-None-Match: ${before.headers.get('etag') ?? ''}`);
      expect(after.status).toBe(200);
      expect(after.text).toBe(before.text);
      expect(after.headers.get('link')).not.toBeNull();
    });

    it('is absent from answers that must not be cached', async () => {
      const posted = await store.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      const answers = [posted, await get('/v1/pets/999'), await get('/v1/nope')];
      expect(answers.map(({ status }) => status)).toEqual([201, 404, 404]);
      for (const answer of answers) {
        expect(answer.headers.get('etag')).toBeNull();
        expect(answer.headers.get('cache-control')).toBe('no-store');
      }
    });
  });
});
