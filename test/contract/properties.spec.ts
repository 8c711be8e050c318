import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { onEachEngine } from '../support/engines.js';
import type { Answer } from '../support/http.js';
import { serveOn } from '../support/served.js';

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const STATUSES = ['available', 'pending', 'sold'] as const;
const WHITE_SPACE = /^[ \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/;
// eslint-disable-next-line no-control-regex -- these are what the contract forbids
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** A NewPet that the schema allows, and the JSON texts of its fields in the request. */
interface Sent {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string | undefined;
  readonly body: string;
}

const int64 = fc.oneof(
  fc.bigInt({ min: INT64_MIN, max: INT64_MAX }),
  fc.bigInt({ min: -10n, max: 10n }),
  // Near the limits of exact doubles, positive and negative, and near the limits of int64.
  fc.bigInt({ min: 2n ** 53n - 3n, max: 2n ** 53n + 3n }).chain((near) => fc.constantFrom(near, -near)),
  fc.constantFrom(INT64_MIN, INT64_MIN + 1n, INT64_MAX - 1n, INT64_MAX),
);

const name = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 255 }),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
    fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 255 }),
  )
  .map((text) => text.replace(new RegExp(CONTROL, 'g'), ''))
  .filter((text) => !WHITE_SPACE.test(text) && [...text].length <= 255);

/** Other JSON texts for the same integer: `7`, `7.0`, `70e-1`, `0.7E1`. */
function spellings(value: bigint): fc.Arbitrary<string> {
  const sign = value < 0n ? '-' : '';
  const digits = String(value < 0n ? -value : value);
  const plain = `${sign}${digits}`;
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(plain) },
    fc.nat(5).map((zeros) => `${plain}.${'0'.repeat(zeros + 1)}`),
    fc.integer({ min: 1, max: 40 }).map((zeros) => `${plain}${value === 0n ? '' : '0'.repeat(zeros)}e-${zeros}`),
    fc.constant(`${sign}0.${digits}E+${digits.length}`),
  );
}

/** Other JSON texts for the same string, with some UTF-16 units escaped. */
function escapings(text: string): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(JSON.stringify(text)) },
    fc.constant(`"${[...text].map(escaped).join('')}"`),
  );
}

const escaped = (character: string): string =>
  character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const space = fc.constantFrom('', '', ' ', '\n', '\t \r\n');

const newPet: fc.Arbitrary<Sent> = fc
  .record({ name, categoryId: int64, status: fc.option(fc.constantFrom(...STATUSES), { nil: undefined }) })
  .chain((pet) =>
    fc
      .record({ name: escapings(pet.name), categoryId: spellings(pet.categoryId), gap: space })
      .chain(({ gap, ...texts }) => {
        const fields = [`"name":${gap}${texts.name}`, `"categoryId"${gap}:${texts.categoryId}`];
        if (pet.status !== undefined) fields.push(`"status":"${pet.status}"`);
        return fc
          .shuffledSubarray(fields, { minLength: fields.length })
          .map((order) => ({ ...pet, body: `${gap}{${order.join(`,${gap}`)}}${gap}` }));
      }),
  );

/** One fault in one field, or in the body. */
const badName = fc.oneof(
  fc.constantFrom('""', 'null', '7', 'true', '[]', '{}', '"\\ud800"', '"a\\udc00b"'),
  fc
    .string({ unit: fc.constantFrom(' ', '\u00a0', '\u3000', '\u2028'), minLength: 1 })
    .map((text) => JSON.stringify(text)),
  fc
    .tuple(name, fc.constantFrom('\0', '\t', '\n', '\u001f', '\u007f', '\u0080', '\u009f'), fc.nat())
    .map(([text, control, at]) => JSON.stringify(insert(text, control, at))),
  fc.string({ unit: 'grapheme-ascii', minLength: 256, maxLength: 400 }).map((text) => JSON.stringify(text)),
);

const badCategoryId = fc.oneof(
  fc.constantFrom('null', 'true', '"7"', '[7]', '{}', '1e1000000000', '-1e400'),
  fc
    .bigInt({ min: INT64_MAX + 1n, max: 2n ** 70n })
    .chain((beyond) => fc.constantFrom(String(beyond), String(-beyond - 1n))),
  fc.tuple(int64, fc.integer({ min: 1, max: 9 })).map(([whole, tenth]) => `${String(whole)}.${tenth}`),
);

const badStatus = fc.oneof(
  fc.constantFrom('null', '7', 'true', '[]', '{}', '""', '"Available"', '"sold "'),
  fc
    .string()
    .filter((text) => !STATUSES.some((status) => status === text))
    .map((text) => JSON.stringify(text)),
);

const unknownName = fc
  .oneof(fc.string(), fc.constantFrom('id', '__proto__', 'constructor', 'Name', 'category_id'))
  .filter((text) => !['name', 'categoryId', 'status'].includes(text));

const bodyFrom = (fields: Readonly<Record<string, string>>): string =>
  `{${Object.entries(fields)
    .map(([field, value]) => `${JSON.stringify(field)}:${value}`)
    .join(',')}}`;

const GOOD = { name: '"Rex"', categoryId: '7', status: '"sold"' };

const forbidden: fc.Arbitrary<string> = fc.oneof(
  badName.map((bad) => bodyFrom({ ...GOOD, name: bad })),
  badCategoryId.map((bad) => bodyFrom({ ...GOOD, categoryId: bad })),
  badStatus.map((bad) => bodyFrom({ ...GOOD, status: bad })),
  fc
    .tuple(unknownName, fc.json())
    .map(([field, value]) => bodyFrom(GOOD).replace('}', () => `,${JSON.stringify(field)}:${value}}`)),
  fc
    .constantFrom('name', 'categoryId')
    .map((gone) => bodyFrom(Object.fromEntries(Object.entries(GOOD).filter(([field]) => field !== gone)))),
  fc
    .constantFrom(...Object.entries(GOOD))
    .map(([field, value]) => bodyFrom(GOOD).replace('}', `,"${field}":${value}}`)),
  fc.json().filter((text) => !text.includes('categoryId')),
  fc.nat(bodyFrom(GOOD).length - 1).map((at) => bodyFrom(GOOD).slice(0, at)),
  fc
    .string({ minLength: 1 })
    .filter((text) => /\S/.test(text))
    .map((tail) => `${bodyFrom(GOOD)}${tail}`),
);

function insert(text: string, character: string, at: number): string {
  const characters = [...text];
  characters.splice(at % (characters.length + 1), 0, character);
  return characters.join('');
}

onEachEngine('any', (engine) => {
  const store = serveOn(engine, { RATE_LIMIT_PER_MINUTE: '0' });
  const post = (body: string): Promise<Answer> => store.client.post('/v1/pets', body);
  const idOf = (text: string): bigint => BigInt(/^\{"id":(\d+),/.exec(text)?.[1] ?? '0');

  /** Reads every page from a path on. `between` runs before each next page. */
  async function walk(from: string, between: () => void = () => {}): Promise<string[]> {
    const pages: string[] = [];
    for (let path: string | undefined = from; path !== undefined; between()) {
      const page: Answer = await store.client.get(path);
      expect(page.status).toBe(200);
      pages.push(page.text);
      path = /<[^>]*(\/v1\/pets\?[^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    }
    return pages;
  }

  /** The exact text of each pet of a page. No name contains `{"id":`, since its quotes are escaped. */
  const textsOf = (page: string): string[] => (page === '[]' ? [] : page.slice(1, -1).split(/(?<=\}),(?=\{"id":\d)/));

  const emptied = fc.beforeEach(async () => {
    await store.database.query('DELETE FROM pet');
  });

  describe('NewPet that the schema allows', () => {
    it('is created and comes back byte for byte from POST, GET and list', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(newPet, { minLength: 1, maxLength: 8 }), async (pets) => {
          const answers = await Promise.all(pets.map(({ body }) => post(body)));
          const ids = answers.map(({ text }) => idOf(text));
          const texts = pets.map(({ name, categoryId, status = 'available' }, at) => {
            return `{"id":${ids[at]},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
          });
          expect(answers.map(({ status, text }) => [status, text])).toEqual(texts.map((text) => [201, text]));
          const fetched = await Promise.all(ids.map((id) => store.client.get(`/v1/pets/${id}`)));
          expect(fetched.map(({ text }) => text)).toEqual(texts);
          const listed = (await walk('/v1/pets?limit=100')).flatMap(textsOf);
          expect(listed).toEqual(expect.arrayContaining(texts));
        }),
        { numRuns: 60, plugins: [emptied] },
      );
    });
  });

  describe('body that the schema forbids', () => {
    it('gets 400 and leaves no row', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(forbidden, { minLength: 1, maxLength: 10 }), async (bodies) => {
          for (const [at, answer] of (await Promise.all(bodies.map(post))).entries()) {
            const { code } = answer.json() as { code: string };
            expect([bodies[at], answer.status, code]).toStrictEqual([
              bodies[at],
              400,
              expect.stringMatching(/_(field|json|required)$|^body_/),
            ]);
          }
          expect(await store.countPets()).toBe(0n);
        }),
        { numRuns: 60, plugins: [emptied] },
      );
    });
  });

  describe('walk through the pages', () => {
    const walks = fc.record({
      earlier: fc.array(fc.constantFrom(...STATUSES), { maxLength: 40 }),
      limit: fc.integer({ min: 1, max: 12 }),
      status: fc.option(fc.constantFrom(...STATUSES), { nil: undefined }),
      /** How many pets are created at the time of each page. */
      added: fc.array(fc.nat(4), { minLength: 1, maxLength: 10 }),
    });

    it('has each earlier pet exactly once, in order, whatever is added meanwhile', async () => {
      await fc.assert(
        fc.asyncProperty(walks, async ({ earlier, limit, status, added }) => {
          const create = (of: string): Promise<Answer> => post(`{"name":"Rex","categoryId":7,"status":"${of}"}`);
          const before = await Promise.all(earlier.map(create));
          const writing: Promise<Answer>[] = [];
          const schedule = added[Symbol.iterator]();
          const add = (): void => {
            for (let left = schedule.next().value ?? 0; left > 0; left--)
              writing.push(create(STATUSES[left % 3] ?? ''));
          };
          add();
          const filter = status === undefined ? '' : `&status=${status}`;
          const seen = (await walk(`/v1/pets?limit=${limit}${filter}`, add)).map(textsOf);
          await Promise.all(writing);
          for (const page of seen) expect(page.length).toBeLessThanOrEqual(limit);
          const ids = seen.flat().map(idOf);
          expect(ids).toEqual([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)));
          const wanted = before
            .map(({ text }) => text)
            .filter((text) => status === undefined || text.includes(`"status":"${status}"`));
          expect(seen.flat()).toEqual(expect.arrayContaining(wanted));
          if (status !== undefined) for (const text of seen.flat()) expect(text).toContain(`"status":"${status}"`);
        }),
        { numRuns: 25, plugins: [emptied] },
      );
    });
  });
});
