import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Browser, BrowserContext } from 'playwright-core';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { Service } from '../support/service.js';
import { launchChromium, OTHER_HOST } from './chromium.js';
import { DocsPage } from './docs-page.js';
import { PrefixProxy } from './prefix-proxy.js';

/** Beyond 2^53, where JavaScript numbers are even: these would be …992 or …994, and 2^63. */
const CATEGORY = '9007199254740993';
const NEXT_ID = '9007199254740995';
const LARGEST = '9223372036854775807';

let database: TestDatabase;
let service: Service;
let key: string;
let browser: Browser;
let context: BrowserContext;

// Chromium starts its processes beside whatever else the machine does; nothing here measures time.
jest.setTimeout(180_000);

describe('Swagger UI', () => {
  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database });
    key = await service.createKey();
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
    await database.drop();
  });

  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
  });

  afterEach(() => context.close());

  const open = (): Promise<DocsPage> => DocsPage.open(context, `${service.url}/docs`);

  const openAuthorized = async (): Promise<DocsPage> => {
    const docs = await open();
    await docs.authorize(key);
    return docs;
  };

  /** The Authorization headers that a request carried; a repeated one would come as one with a comma. */
  const authorizationOf = async (docs: DocsPage): Promise<string | null> => {
    const { request } = await docs.execute('listPets');
    return request.headerValue('authorization');
  };

  describe('the page', () => {
    it('renders on plain http under any host name, without an error and with nothing from another host', async () => {
      const base = service.url.replace('127.0.0.1', OTHER_HOST);
      const docs = await DocsPage.open(context, `${base}/docs`);
      expect(await docs.page.title()).toBe('Animal Store API');
      expect(await docs.page.locator('.docs-header h1').innerText()).toBe('Animal Store');
      expect(await docs.page.locator('.docs-guide').innerText()).toMatch(/Get a key[^]*Authorize[^]*Page with Link/);
      expect(await docs.page.locator('.opblock-summary-operation-id').allInnerTexts()).toEqual([
        'listPets',
        'createPet',
        'getPet',
      ]);
      await docs.authorize(key);
      for (const id of ['createPet', 'listPets', 'getPet']) await docs.execute(id);
      await docs.photograph('whole-page');
      expect(docs.troubles).toEqual([]);
      expect([...new Set(docs.requests.map((request) => new URL(request.url()).origin))]).toEqual([base]);
    });

    it('strikes the deprecated operation through, and no other', async () => {
      const docs = await open();
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
      const docs = await open();
      const names = await docs.page.locator('.models .json-schema-2020-12__title').allInnerTexts();
      expect(names.sort()).toEqual(['Error', 'NewPet', 'Pet', 'PetStatus', 'Pets']);
      await docs.page.locator('.models').scrollIntoViewIfNeeded();
      for (const expand of await docs.page.locator('.models .json-schema-2020-12-expand-deep-button').all()) {
        await expand.click();
      }
      await docs.photograph('schemas');
      expect(docs.troubles).toEqual([]);
    });

    it('opens the operation that a link names by its operationId', async () => {
      const docs = await DocsPage.open(context, `${service.url}/docs#getPet`);
      await docs.operation('getPet').locator('.btn.execute').waitFor();
      expect(await docs.operation('listPets').locator('.btn.execute').isVisible()).toBe(false);
    });

    it('works behind a proxy that adds a path prefix', async () => {
      const proxy = await PrefixProxy.start(service.url, '/zoo/animals');
      try {
        const docs = await DocsPage.open(context, `${proxy.url}/`);
        expect(docs.page.url()).toBe(`${proxy.url}/docs`);
        expect(await docs.page.locator('.servers option').first().innerText()).toBe(`${proxy.url}/v1 - This server`);
        await docs.authorize(key);
        const { request, status } = await docs.execute('createPet');
        expect([request.url(), status]).toEqual([`${proxy.url}/v1/pets`, '201']);
        await docs.photograph('behind-a-prefix');
        expect(docs.troubles).toEqual([]);
        expect(docs.requests.filter((each) => !each.url().startsWith(`${proxy.url}/`))).toEqual([]);
      } finally {
        await proxy.stop();
      }
    });
  });

  describe('Authorize', () => {
    it.each([
      ['the bare key', (bare: string) => bare],
      ['the key with its scheme', (bare: string) => `Bearer ${bare}`],
      ['the key with spaces around it', (bare: string) => ` ${bare} `],
    ])('takes %s and sends exactly one Bearer', async (_, paste) => {
      const docs = await open();
      await docs.authorize(paste(key));
      expect(await authorizationOf(docs)).toBe(`Bearer ${key}`);
      expect(docs.troubles).toEqual([]);
    });

    it('is kept over a reload, for this tab alone, and never in localStorage', async () => {
      const docs = await openAuthorized();
      await docs.reload();
      expect(await authorizationOf(docs)).toBe(`Bearer ${key}`);
      expect(await docs.page.evaluate<string>('JSON.stringify(localStorage)')).toBe('{}');
      expect(await context.cookies()).toEqual([]);

      const otherTab = await open();
      expect(await authorizationOf(otherTab)).toBeNull();
      const otherContext = await browser.newContext();
      const stranger = await DocsPage.open(otherContext, `${service.url}/docs`);
      expect(await authorizationOf(stranger)).toBeNull();
      await otherContext.close();
    });

    it('is forgotten by Logout', async () => {
      const docs = await openAuthorized();
      await docs.logOut();
      expect(await authorizationOf(docs)).toBeNull();
      await docs.reload();
      expect(await authorizationOf(docs)).toBeNull();
      expect(await docs.page.evaluate<string>('JSON.stringify(sessionStorage)')).toBe('{}');
    });
  });

  describe('Try it out', () => {
    it('succeeds on each operation with the example as it stands', async () => {
      const docs = await openAuthorized();
      expect((await docs.execute('createPet')).status).toBe('201');
      const list = await docs.execute('listPets');
      expect(list.status).toBe('200');
      expect(JSON.parse(list.body)).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'Rex' })]));
      const pet = await docs.execute('getPet');
      expect([pet.status, JSON.parse(pet.body)]).toEqual(['200', expect.objectContaining({ id: 1 })]);
      await docs.photograph('examples');
    });

    it('shows the Error of a 400 and of a 401', async () => {
      const docs = await open();
      const closed = await docs.execute('listPets');
      expect([closed.status, JSON.parse(closed.body)]).toEqual([
        '401',
        { code: 'missing_api_key', message: expect.any(String), status: 401 },
      ]);
      await docs.authorize(key);
      const refused = await docs.execute('createPet', { body: '{"name":""}' });
      expect([refused.status, JSON.parse(refused.body)]).toEqual([
        '400',
        { code: 'missing_field', message: expect.stringContaining('categoryId'), status: 400 },
      ]);
      await docs.photograph('errors');
      expect(docs.troubles).toEqual([]);
    });

    it('keeps every digit of an int64: in the body sent, in the path, and in what is shown', async () => {
      await database.query(`INSERT INTO pet (id, name, category_id, status) VALUES (${NEXT_ID} - 1, 'x', 1, 'sold')`);
      const docs = await openAuthorized();
      const pet = `{\n  "id": ${NEXT_ID},\n  "name": "Big",\n  "categoryId": -${CATEGORY},\n  "status": "sold"\n}`;

      const made = await docs.execute('createPet', {
        body: `{"name":"Big","categoryId":-${CATEGORY},"status":"sold"}`,
      });
      expect(made.request.postData()).toBe(`{"name":"Big","categoryId":-${CATEGORY},"status":"sold"}`);
      expect([made.status, made.body]).toEqual(['201', pet]);

      const found = await docs.execute('getPet', { petId: NEXT_ID });
      expect(found.request.url()).toBe(`${service.url}/v1/pets/${NEXT_ID}`);
      expect([found.status, found.body]).toEqual(['200', pet]);

      const list = await docs.execute('listPets', { limit: '100' });
      expect(list.body.replaceAll('\n  ', '\n')).toContain(pet);
      await docs.photograph('large-ids');
      expect(docs.troubles).toEqual([]);
    });

    it('keeps the digits of the document’s own examples, in the form, in the answers and in the schemas', async () => {
      await context.route('**/openapi.json', async (route) => {
        const text = await (await route.fetch()).text();
        await route.fulfill({
          contentType: 'application/json',
          body: text
            .replace(/("categoryId": |"examples": \[\s*)7\b/g, `$1${CATEGORY}`)
            .replace(/"example": 1$/m, `"example": ${LARGEST}`),
        });
      });
      const docs = await openAuthorized();
      const made = await docs.execute('createPet');
      expect(made.request.postData()).toContain(`"categoryId": ${CATEGORY}`);
      const documented = docs.operation('createPet').locator('tr.response[data-code="201"] .example.microlight');
      expect(await documented.innerText()).toContain(`"categoryId": ${CATEGORY}`);

      await docs.operation('getPet').locator('.opblock-summary-control').click();
      expect(await docs.operation('getPet').locator('tr[data-param-name="petId"] input').inputValue()).toBe(LARGEST);

      const schema = docs.page.locator('.models .json-schema-2020-12', { hasText: 'NewPet' }).first();
      await schema.locator('.json-schema-2020-12-expand-deep-button').first().click();
      expect(await schema.innerText()).toContain(CATEGORY);
      expect(docs.troubles).toEqual([]);
    });
  });
});
