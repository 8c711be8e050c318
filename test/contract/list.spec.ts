import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { onEachEngine } from '../support/engines.js';
import type { Answer } from '../support/http.js';
import { serveOn } from '../support/served.js';

/** Differs from any address that a test connects to, and has a prefix, as behind a gateway. */
const BASE = 'https://api.example.com/store/v1';
const STATUSES = ['available', 'pending', 'sold'] as const;
const PETS = 25;

interface Pet {
  readonly id: number;
  readonly name: string;
  readonly status: string;
}

const petsOf = (answer: Answer): Pet[] => answer.json() as Pet[];
const namesOf = (answer: Answer): string[] => petsOf(answer).map(({ name }) => name);

/** The target of `rel="next"`, as a path of the service under test. */
function nextOf(answer: Answer): string | undefined {
  const link = answer.headers.get('link');
  if (link === null) return undefined;
  const target = /^<([^>]*)>; rel="next"$/.exec(link)?.[1];
  if (target === undefined) throw new Error(`No next page in ${link}`);
  return `/v1${target.slice(BASE.length)}`;
}

function cursorOf(answer: Answer): string {
  const cursor = new URL(nextOf(answer) ?? '', 'http://pets.test').searchParams.get('cursor');
  if (cursor === null) throw new Error('There is no next page');
  return cursor;
}

const recoded = (text: string): string => Buffer.from(text).toString('base64url');

interface Parameter {
  readonly name: string;
  readonly schema: { readonly $ref?: string; readonly enum?: readonly string[]; readonly examples?: readonly string[] };
  readonly example?: string;
}

/** Each filter of the document, with a value that a pet does not have by default. */
const filters = filtersOf(readFileSync(join(projectFolder, 'openapi.json'), 'utf8'));

function filtersOf(text: string): { readonly name: string; readonly value: string }[] {
  const { paths, components } = JSON.parse(text) as {
    paths: { '/pets': { get: { parameters: readonly Partial<Parameter>[] } } };
    components: { schemas: Readonly<Record<string, Parameter['schema']>> };
  };
  return paths['/pets'].get.parameters.flatMap(({ name = 'cursor', schema = {}, example }) => {
    if (name === 'limit' || name === 'cursor') return [];
    const { enum: values, examples } = components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
    return [{ name, value: values?.at(-1) ?? example ?? examples?.[0] ?? 'some' }];
  });
}

onEachEngine('the list', (engine) => {
  const store = serveOn(engine, { PUBLIC_BASE_URL: BASE });
  const list = (query = ''): Promise<Answer> => store.client.get(`/v1/pets${query}`);

  describe('of an empty store', () => {
    it.each(['', '?limit=1', '?status=sold'])('%j is an empty array without a Link', async (query) => {
      const answer = await list(query);
      expect(answer.status).toBe(200);
      expect(answer.text).toBe('[]');
      expect(answer.headers.get('link')).toBeNull();
    });
  });

  describe('of 25 pets', () => {
    beforeAll(async () => {
      for (let at = 0; at < PETS; at++) {
        await store.client.post('/v1/pets', { name: `pet ${at}`, categoryId: at, status: STATUSES[at % 3] });
      }
    });

    it.each([
      ['', 20],
      ['?limit=1', 1],
      ['?limit=9', 9],
      ['?limit=20', 20],
      ['?limit=24', 24],
      ['?limit=25', 25],
      ['?limit=26', 25],
      ['?limit=99', 25],
      ['?limit=100', 25],
    ])('%j gives %d of them', async (query, many) => {
      const answer = await list(query);
      expect(answer.status).toBe(200);
      expect(namesOf(answer)).toEqual(Array.from({ length: many }, (_, at) => `pet ${at}`));
      expect(nextOf(answer) !== undefined).toBe(many < PETS);
    });

    it.each([
      ['empty', ''],
      ['zero', '0'],
      ['negative', '-1'],
      ['above', '101'],
      ['far above', '1000000000'],
      ['beyond 2^64', '18446744073709551617'],
      ['beyond any number', '9'.repeat(400)],
      ['a sign', '%2B5'],
      ['a plus, which is a space', '+5'],
      ['a leading zero', '05'],
      ['three digits with a leading zero', '010'],
      ['a fraction', '5.0'],
      ['an exponent', '1e1'],
      ['hexadecimal', '0x5'],
      ['octal', '0o5'],
      ['a separator', '1_0'],
      ['padded before', '%205'],
      ['padded behind', '5%20'],
      ['a newline behind', '5%0A'],
      ['a NUL behind', '5%00'],
      ['Arabic digits', '%D9%A3'],
      ['full-width digits', '%EF%BC%95'],
      ['superscript digits', '%C2%B2'],
      ['a word', 'ten'],
      ['NaN', 'NaN'],
      ['Infinity', 'Infinity'],
      ['null', 'null'],
      ['quotes', '%225%22'],
      ['two values', '1,2'],
      ['broken escapes', '%E0%A4%A'],
    ])('refuses a limit that is %s: %j', async (_, limit) => {
      const answer = await list(`?limit=${limit}`);
      expect(answer).toBeErrorShape(400, 'invalid_parameter');
      expect(answer.text).toContain('limit');
    });

    it('refuses a limit without a value', async () => {
      expect(await list('?limit')).toBeErrorShape(400, 'invalid_parameter');
    });

    it.each(STATUSES)('of the status %s has only those', async (status) => {
      const answer = await list(`?limit=100&status=${status}`);
      expect(answer.status).toBe(200);
      const expected = Array.from({ length: PETS }, (_, at) => at).filter((at) => STATUSES[at % 3] === status);
      expect(namesOf(answer)).toEqual(expected.map((at) => `pet ${at}`));
      expect(new Set(petsOf(answer).map((pet) => pet.status))).toEqual(new Set([status]));
    });

    it.each(['', 'Sold', 'SOLD', 'sold%20', '%20sold', 'sol', 'solds', 'unknown', 'sold,pending', 'null', '%FF', '%'])(
      'refuses the status %j',
      async (status) => {
        const answer = await list(`?status=${status}`);
        expect(answer).toBeErrorShape(400, 'invalid_parameter');
        expect(answer.text).toContain('status');
      },
    );

    it.each([
      ['limit', 'limit=1&limit=2'],
      ['limit', 'limit=1&limit=1'],
      ['limit', 'limit=1&status=sold&%6cimit=1'],
      ['status', 'status=sold&status=sold'],
      ['cursor', 'cursor=a&cursor=a'],
    ])('refuses %s when it is repeated: %s', async (name, query) => {
      const answer = await list(`?${query}`);
      expect(answer).toBeErrorShape(400, 'duplicate_parameter');
      expect(answer.text).toContain(name);
    });

    it.each([
      ['offset', 'offset=1'],
      ['page', 'page=2&limit=1'],
      ['limit[]', 'limit[]=1'],
      ['limit[]', 'limit%5B%5D=1'],
      ['limit[a]', 'limit[a]=1'],
      ['Limit', 'Limit=1'],
      ['limit ', 'limit%20=1'],
      ['status.x', 'status.x=sold'],
      ['__proto__', '__proto__=1'],
      ['constructor', 'constructor=1'],
      ['toString', 'toString'],
      ['access_token', 'access_token=1'],
      ['', '=1'],
      ['?limit', '?limit=1'],
    ])('refuses the unknown parameter %j', async (name, query) => {
      const answer = await list(`?${query}`);
      expect(answer).toBeErrorShape(400, 'unknown_parameter');
      expect((answer.json() as { message: string }).message).toContain(`"${name}"`);
    });

    it('names the unknown before the repeated, and both before a bad value', async () => {
      const all = await list('?limit=0&status=sold&status=sold&page=1');
      expect(all).toBeErrorShape(400, 'unknown_parameter');
      for (const name of ['limit', 'status', 'page']) expect(all.text).toContain(name);
      expect(await list('?limit=0&status=sold&status=sold')).toBeErrorShape(400, 'duplicate_parameter');
    });

    it.each(['?', '?&', '?&&limit=100&'])('takes the query %j, in which nothing is odd', async (query) => {
      expect((await list(query)).status).toBe(200);
    });

    it('points to the next page from the public base, whatever Host says', async () => {
      const answer = await store.send('GET /v1/pets?limit=2&status=sold', {
        headers: [
          'Host: evil.example',
          'X-Forwarded-Host: evil.example',
          'X-Forwarded-Proto: http',
          'Forwarded: host=evil.example',
        ],
      });
      expect(answer.headers.get('link')).toMatch(
        /^<https:\/\/api\.example\.com\/store\/v1\/pets\?limit=2&status=sold&cursor=[A-Za-z0-9_-]+>; rel="next"$/,
      );
    });

    it('repeats only the parameters of the request in the link to the next page', async () => {
      const link = (await list()).headers.get('link');
      expect(link).toMatch(/^<https:\/\/api\.example\.com\/store\/v1\/pets\?cursor=[A-Za-z0-9_-]+>; rel="next"$/);
    });

    it.each([1, 2, 5, 7, 12, 13, 24, 25])('walks in pages of %d through every pet once', async (limit) => {
      const seen: string[] = [];
      let pages = 0;
      for (let path: string | undefined = `/v1/pets?limit=${limit}`; path !== undefined; pages++) {
        const page: Answer = await store.client.get(path);
        expect(page.status).toBe(200);
        seen.push(...namesOf(page));
        path = nextOf(page);
      }
      expect(seen).toEqual(Array.from({ length: PETS }, (_, at) => `pet ${at}`));
      expect(pages).toBe(Math.ceil(PETS / limit));
    });

    it('walks through one status in pages', async () => {
      const seen: string[] = [];
      for (let path: string | undefined = '/v1/pets?limit=3&status=pending'; path !== undefined;) {
        const page: Answer = await store.client.get(path);
        seen.push(...namesOf(page));
        path = nextOf(page);
      }
      expect(seen).toEqual(['pet 1', 'pet 4', 'pet 7', 'pet 10', 'pet 13', 'pet 16', 'pet 19', 'pet 22']);
    });

    it('lets the limit change between pages', async () => {
      const cursor = cursorOf(await list('?limit=2'));
      expect(namesOf(await list(`?limit=3&cursor=${cursor}`))).toEqual(['pet 2', 'pet 3', 'pet 4']);
      expect(namesOf(await list(`?cursor=${cursor}`))).toHaveLength(20);
      expect(namesOf(await list(`?cursor=${cursor}&limit=100`))).toHaveLength(23);
    });

    it('gives the same page for the same cursor', async () => {
      const next = nextOf(await list('?limit=2')) ?? '';
      for (let turn = 0; turn < 2; turn++) expect(namesOf(await store.client.get(next))).toEqual(['pet 2', 'pet 3']);
    });

    it('gives each of many that ask for different pages at the same time the page that it gives one who asks alone', async () => {
      const queries = Array.from({ length: 60 }, (_, at) => {
        const status = at % 2 === 0 ? undefined : STATUSES[at % 3];
        const filters = status === undefined ? '' : `status=${status}`;
        const cursor = recoded(`1:${1 + (at % PETS)}:${filters}`);
        return `?limit=${1 + (at % 7)}&cursor=${cursor}${status === undefined ? '' : `&${filters}`}`;
      });
      const alone: Answer[] = [];
      for (const query of queries) alone.push(await list(query));
      const together = await Promise.all(queries.map(list));
      const partsOf = ({ text, headers }: Answer): unknown[] => [text, headers.get('link'), headers.get('etag')];
      expect(together.map(partsOf)).toStrictEqual(alone.map(partsOf));
    });

    it('refuses a cursor under another status', async () => {
      const ofAll = cursorOf(await list('?limit=2'));
      const ofSold = cursorOf(await list('?limit=2&status=sold'));
      expect(await list(`?status=sold&cursor=${ofAll}`)).toBeErrorShape(400, 'invalid_cursor');
      expect(await list(`?status=pending&cursor=${ofSold}`)).toBeErrorShape(400, 'invalid_cursor');
      expect(await list(`?cursor=${ofSold}`)).toBeErrorShape(400, 'invalid_cursor');
      expect((await list(`?status=sold&cursor=${ofSold}`)).status).toBe(200);
    });

    it.each([
      ['empty', () => ''],
      ['a word', () => 'next'],
      ['a number', () => '1'],
      ['not base64url', () => '%2B%2F%3D%3D'],
      ['a NUL', () => '%00'],
      ['broken escapes', () => '%E0%A4%A'],
      ['not ASCII', () => '%F0%9F%90%B6'],
      ['very long', () => 'A'.repeat(4000)],
      ['nothing decoded', () => recoded('')],
      ['JSON', () => recoded('{"id":1}')],
      ['padded', (cursor: string) => `${cursor}=`],
      ['padded twice', (cursor: string) => `${cursor}==`],
      ['followed by a newline', (cursor: string) => `${cursor}%0A`],
      ['cut', (cursor: string) => cursor.slice(0, -1)],
      ['too long by a character', (cursor: string) => `${cursor}A`],
      ['after a space', (cursor: string) => `%20${cursor}`],
      ['in another case', (cursor: string) => swapCase(cursor)],
      ['with unused bits set', (cursor: string) => withUnusedBits(cursor)],
      ['of another version', (cursor: string) => recoded(decoded(cursor).replace(/^[^:]*/, '2'))],
      ['of the id 0', (cursor: string) => recoded(decoded(cursor).replace(/:\d+/, ':0'))],
      ['of a negative id', (cursor: string) => recoded(decoded(cursor).replace(/:\d+/, ':-1'))],
      ['of a padded id', (cursor: string) => recoded(decoded(cursor).replace(/:(\d+)/, ':0$1'))],
      ['of 2^63', (cursor: string) => recoded(decoded(cursor).replace(/:\d+/, ':9223372036854775808'))],
      ['with something added', (cursor: string) => recoded(`${decoded(cursor)}:`)],
      ['with a filter added', (cursor: string) => recoded(`${decoded(cursor)}status=sold`)],
    ])('refuses a cursor that is %s', async (_, spoil) => {
      const cursor = cursorOf(await list('?limit=2'));
      const answer = await list(`?cursor=${spoil(cursor)}`);
      expect(answer).toBeErrorShape(400, 'invalid_cursor');
    });

    it('takes a cursor of an id that is gone, and of the last id that there can be', async () => {
      const [cursor] = [cursorOf(await list('?limit=2'))];
      const after = (id: string): string => recoded(decoded(cursor).replace(/:\d+/, `:${id}`));
      expect(namesOf(await list(`?limit=1&cursor=${after('24')}`))).toEqual(['pet 24']);
      expect((await list(`?cursor=${after('25')}`)).text).toBe('[]');
      expect((await list(`?cursor=${after('9223372036854775807')}`)).text).toBe('[]');
    });

    it('has no header with a total count', async () => {
      const answer = await list('?limit=1');
      expect(namesOf(answer)).toEqual(['pet 0']);
      const names = [...answer.headers.keys()];
      expect(names.filter((name) => /total|count|page/.test(name))).toEqual([]);
    });
  });

  describe('while pets are added', () => {
    it('has each earlier pet exactly once, in the order of ids', async () => {
      const before = petsOf(await list('?limit=100')).map(({ id }) => id);
      const writing = Array.from({ length: 40 }, (_, at) =>
        store.client.post('/v1/pets', { name: `late ${at}`, categoryId: at }),
      );
      const seen: number[] = [];
      for (let path: string | undefined = '/v1/pets?limit=2'; path !== undefined;) {
        const page: Answer = await store.client.get(path);
        seen.push(...petsOf(page).map(({ id }) => id));
        path = nextOf(page);
      }
      await Promise.all(writing);
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      expect(seen.filter((id) => before.includes(id))).toEqual(before);
    });
  });
});

const decoded = (cursor: string): string => Buffer.from(cursor, 'base64url').toString();

const swapCase = (text: string): string =>
  text.replace(/[a-z]/i, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));

/** Other last characters that decode to the same bytes: base64url leaves 2 or 4 bits of the last one unused. */
function withUnusedBits(cursor: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = Array.from(alphabet)
    .map((letter) => cursor.slice(0, -1) + letter)
    .find((text) => {
      return text !== cursor && decoded(text) === decoded(cursor);
    });
  if (other === undefined) throw new Error(`${cursor} has no unused bits`);
  return other;
}

onEachEngine('the list by a filter', (engine) => {
  const store = serveOn(engine);

  it.each(filters)('by $name has the pets of that value and no others', async ({ name, value }) => {
    const others = { name: 'of no value', categoryId: 1 };
    for (const pet of [others, { ...others, name: 'of this value', [name]: value }]) {
      expect((await store.client.post('/v1/pets', pet)).status).toBe(201);
    }
    const found = (await store.client.get(`/v1/pets?${name}=${value}`)).json() as Record<string, unknown>[];
    expect(found.map((pet) => [pet['name'], pet[name]])).toStrictEqual([['of this value', value]]);
  });
});
