import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { Service } from '../support/service.js';
import { launchChromium, OTHER_HOST } from './chromium.js';
import { DocsPage } from './docs-page.js';
import { PrefixProxy } from './prefix-proxy.js';

/** Beyond 2^53 JavaScript numbers of this size are even. They would show …992 or …994, and 2^63. */
const CATEGORY = '9007199254740993';
const NEXT_ID = '9007199254740995';
const LARGEST = '9223372036854775807';

let database: TestDatabase;
let service: Service;
let key: string;
let browser: Browser;
let context: BrowserContext;
let docs: DocsPage;
/** A name other than localhost, since browsers give localhost more rights. */
let base: string;

// Chromium shares the machine with other tests. Nothing here measures time.
jest.setTimeout(180_000);

/** The Authorization headers of a request. Repeated headers would be joined by a comma. */
const authorizationOf = async (tab: DocsPage): Promise<string | null> => {
  const { request } = await tab.execute('listPets');
  return request.headerValue('authorization');
};

/** One visit of the page: each test continues where the previous one ended, since a load takes a browser seconds. */
describe('Swagger UI', () => {
  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database });
    key = await storeKey(database);
    browser = await launchChromium();
    context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
    base = service.url.replace('127.0.0.1', OTHER_HOST);
    docs = await DocsPage.open(context, `${base}/docs`);
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
    await database.drop();
  });

  describe('the page', () => {
    it('renders on plain http under any host name', async () => {
      expect(await docs.page.title()).toBe('Animal Store API');
      expect(await docs.page.locator('h1').allInnerTexts()).toEqual(['Animal Store']);
      expect(await docs.page.locator('.docs-guide').innerText()).toMatch(
        /Get a key[^]*Authorize[^]*kept for this tab, also over a reload[^]*Page with Link/,
      );
      expect(await docs.page.locator('.opblock-summary-operation-id').allInnerTexts()).toEqual([
        'listPets',
        'createPet',
        'getPet',
      ]);
    });

    it('links the document in both forms, and shows what it says of itself', async () => {
      const links = docs.page.locator('.docs-header a');
      expect(await links.allInnerTexts()).toEqual(['openapi.json', 'openapi.yaml', 'api.md']);
      for (const link of await links.all()) expect(await link.isVisible()).toBe(true);
      expect(await docs.page.locator('.info').innerText()).toMatch(/^A store of animals[^]*traceparent[^]*MIT$/);
    });

    it('strikes the deprecated operation through, and no other', async () => {
      const struck = async (id: string): Promise<string> => {
        const path = docs.operation(id).locator('.opblock-summary-path, .opblock-summary-path__deprecated');
        return path.evaluate((element) => {
          const browser = globalThis as unknown as { getComputedStyle(of: unknown): { textDecorationLine: string } };
          return browser.getComputedStyle(element).textDecorationLine;
        });
      };
      expect(await struck('getPet')).toBe('line-through');
      expect(await struck('listPets')).toBe('none');
      expect(await struck('createPet')).toBe('none');
    });

    it('has the five schemas', async () => {
      const names = await docs.page.locator('.models .json-schema-2020-12__title').allInnerTexts();
      expect(names.sort()).toEqual(['Error', 'NewPet', 'Pet', 'PetStatus', 'Pets']);
      expect(await docs.page.locator('.models').innerText()).toMatch(/Pets\s*Expand all\s*array<Pet>/);
    });
  });

  describe('Authorize', () => {
    it('is needed: without it the Error of a 401 is shown', async () => {
      const closed = await docs.execute('listPets');
      expect(await closed.request.headerValue('authorization')).toBeNull();
      expect([closed.status, JSON.parse(closed.body)]).toEqual([
        '401',
        { code: 'missing_api_key', message: expect.any(String), status: 401 },
      ]);
    });

    it.each([
      ['the key with spaces around it', (bare: string) => ` ${bare} `, 'createPet', '201', 'Rex'],
      ['the key with its scheme', (bare: string) => `Bearer ${bare}`, 'listPets', '200', 'Rex'],
      ['the bare key', (bare: string) => bare, 'getPet', '200', '"id": 1'],
    ])('takes %s, and the example as it stands succeeds, until Logout', async (_, paste, id, status, shown) => {
      await docs.authorize(paste(key));
      const tried = await docs.execute(id);
      expect(await tried.request.headerValue('authorization')).toBe(`Bearer ${key}`);
      expect([tried.status, tried.body]).toEqual([status, expect.stringContaining(shown)]);
      await docs.photograph(id);
      await docs.logOut();
      expect(await docs.page.evaluate<string>('JSON.stringify(sessionStorage)')).toBe('{}');
    });
  });

  describe('Try it out', () => {
    beforeAll(() => docs.authorize(key));

    it('shows the Error of a 400', async () => {
      const refused = await docs.execute('createPet', { body: '{"name":""}' });
      expect([refused.status, JSON.parse(refused.body)]).toEqual([
        '400',
        { code: 'missing_field', message: expect.stringContaining('categoryId'), status: 400 },
      ]);
    });

    it('shows the headers as they came', async () => {
      const { headers } = await docs.execute('getPet', { petId: '1' });
      expect(headers).toMatch(/^sunset: \w{3}, \d\d \w{3} \d{4} 00:00:00 GMT$/m);
      expect(headers).toMatch(
        /^link: <[^>]+>; rel="deprecation"; type="text\/html", <[^>]+>; rel="successor-version"$/m,
      );
    });

    it('asks whether the service runs, where nothing answers', async () => {
      await context.route('**/v1/pets?*', (route) => route.abort());
      expect(await docs.executeInVain('listPets')).toBe(`No answer from ${base}/v1: is the service running?`);
      await context.unroute('**/v1/pets?*');
    });

    it('keeps every digit of an int64: in the body sent, in the path, and in what is shown', async () => {
      await database.query(`INSERT INTO pet (id, name, category_id, status) VALUES (${NEXT_ID} - 1, 'x', 1, 'sold')`);
      const pet = `{\n  "id": ${NEXT_ID},\n  "name": "Big",\n  "categoryId": -${CATEGORY},\n  "status": "sold"\n}`;

      const made = await docs.execute('createPet', {
        body: `{"name":"Big","categoryId":-${CATEGORY},"status":"sold"}`,
      });
      expect(made.request.postData()).toBe(`{"name":"Big","categoryId":-${CATEGORY},"status":"sold"}`);
      expect([made.status, made.body]).toEqual(['201', pet]);

      const found = await docs.execute('getPet', { petId: NEXT_ID });
      expect(found.request.url()).toBe(`${base}/v1/pets/${NEXT_ID}`);
      expect([found.status, found.body]).toEqual(['200', pet]);

      const list = await docs.execute('listPets', { limit: '100' });
      expect(list.body.replaceAll('\n  ', '\n')).toContain(pet);
    });
  });

  it('keeps the key over a reload, and in neither localStorage nor a cookie', async () => {
    await docs.reload();
    expect(await authorizationOf(docs)).toBe(`Bearer ${key}`);
    expect(await docs.page.evaluate<string>('JSON.stringify(localStorage)')).toBe('{}');
    expect(await context.cookies()).toEqual([]);
  });

  describe('another tab, opened by the link of an operation, where the document has large examples', () => {
    let other: DocsPage;

    beforeAll(async () => {
      await context.route('**/openapi.json', async (route) => {
        const text = await (await route.fetch({ url: `${service.url}/openapi.json` })).text();
        await route.fulfill({
          contentType: 'application/json',
          body: text
            .replace(/("categoryId": |"examples": \[\s*)7\b/g, `$1${CATEGORY}`)
            .replace(/"example": 1$/m, `"example": ${LARGEST}`),
        });
      });
      other = await DocsPage.open(context, `${base}/docs#getPet`);
    });

    afterAll(() => context.unroute('**/openapi.json'));

    it('opens that operation and no other', async () => {
      await other.operation('getPet').locator('.btn.execute').waitFor();
      expect(await other.operation('listPets').locator('.btn.execute').isVisible()).toBe(false);
    });

    it('knows nothing of the key of the first', async () => {
      const { request, status } = await other.execute('getPet');
      expect([await request.headerValue('authorization'), status]).toEqual([null, '401']);
    });

    it('keeps the digits of the examples, in the form, in the answers and in the schemas', async () => {
      expect(await other.operation('getPet').locator('tr[data-param-name="petId"] input').inputValue()).toBe(LARGEST);

      const made = await other.execute('createPet');
      expect(made.request.postData()).toContain(`"categoryId": ${CATEGORY}`);
      const documented = other.operation('createPet').locator('tr.response[data-code="201"] .example.microlight');
      expect(await documented.innerText()).toContain(`"categoryId": ${CATEGORY}`);

      const schema = other.page.locator('.models .json-schema-2020-12', { hasText: 'NewPet' }).first();
      await schema.locator('.json-schema-2020-12-expand-deep-button').first().click();
      expect(await schema.innerText()).toContain(CATEGORY);
      await other.photograph('large-examples');
      expect(other.troubles).toEqual([]);
    });
  });

  it('forgets the key by Logout, also over a reload', async () => {
    await docs.logOut();
    await docs.reload();
    expect(await authorizationOf(docs)).toBeNull();
  });

  it('has shown no error in all that time, and asked no other host for anything', () => {
    expect(docs.troubles).toEqual([]);
    expect([...new Set(docs.requests.map((request) => new URL(request.url()).origin))]).toEqual([base]);
  });

  it('says so where the document is not to be had', async () => {
    await context.route('**/openapi.json', (route) => route.abort());
    const page = await context.newPage();
    await page.goto(`${base}/docs`);
    await page.getByText('Failed to load API definition.').waitFor();
    expect(await page.locator('.errors-wrapper').innerText()).toContain('openapi.json');
    await context.unroute('**/openapi.json');
  });

  it('works behind a proxy that adds a path prefix', async () => {
    const proxy = await PrefixProxy.start(service.url, '/zoo/animals');
    try {
      const behind = await DocsPage.open(context, `${proxy.url}/`);
      expect(behind.page.url()).toBe(`${proxy.url}/docs`);
      expect(await behind.page.locator('.servers option').first().innerText()).toBe(`${proxy.url}/v1 - This server`);
      await behind.authorize(key);
      const { request, status } = await behind.execute('createPet');
      expect([request.url(), status]).toEqual([`${proxy.url}/v1/pets`, '201']);
      expect(behind.troubles).toEqual([]);
      expect(behind.requests.filter((each) => !each.url().startsWith(`${proxy.url}/`))).toEqual([]);
    } finally {
      await proxy.stop();
    }
  });
});
