import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { Service } from '../support/service.js';
import { launchChromium } from './chromium.js';
import { DocsPage } from './docs-page.js';

jest.setTimeout(180_000);

interface Covered {
  readonly buttons: number;
  readonly texts: number;
  readonly covered: readonly string[];
}

/**
 * Runs in the browser: the texts of open operations that a copy or save button covers, without that button's own text.
 */
const COVERED_BY_BUTTONS = `(() => {
  const inside = (selector) => [...document.querySelectorAll(selector)];
  const areas = inside('.copy-to-clipboard, .download-contents')
    .map((button) => button.getBoundingClientRect())
    .filter(({ width }) => width > 0);
  const texts = inside('.opblock.is-open').flatMap((block) => {
    const nodes = [];
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode;
      if (data.trim() !== '' && !parentElement.closest('.copy-to-clipboard, .download-contents')) nodes.push(walker.currentNode);
    }
    return nodes.map((node) => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return { text: node.data, rects: [...range.getClientRects()] };
    });
  });
  const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  const covered = texts.filter(({ rects }) => rects.some((rect) => areas.some((area) => overlap(area, rect))));
  return { buttons: areas.length, texts: texts.length, covered: covered.map(({ text }) => text) };
})()`;

describe('the page at /docs', () => {
  let database: TestDatabase;
  let service: Service;
  let key: string;
  let browser: Browser;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database });
    key = await storeKey(database);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
    await database.drop();
  });

  const open = async (width: number, height: number): Promise<DocsPage> =>
    DocsPage.open(await browser.newContext({ viewport: { width, height } }), `${service.url}/docs`);

  it.each([
    ['a laptop', 1280, 900],
    ['a phone', 390, 844],
  ])('has the first operation and Authorize within the first screen of %s', async (_, width, height) => {
    const { page, troubles } = await open(width, height);
    for (const place of ['.opblock', '.auth-wrapper .btn.authorize']) {
      const { y, height: size } = (await page.locator(place).first().boundingBox())!;
      expect(y + size).toBeLessThan(height);
    }
    expect(troubles).toEqual([]);
  });

  it('has a logo and an icon of its own, which load', async () => {
    const { page } = await open(1280, 900);
    const logo = page.locator('.docs-header img');
    expect(await logo.getAttribute('src')).toBe('./docs/assets/logo.svg');
    const width = `document.querySelector('.docs-header img').decode().then(() => document.querySelector('.docs-header img').naturalWidth)`;
    expect(await page.evaluate<number>(width)).toBeGreaterThan(0);
    const icon = await page.locator('link[rel="icon"]').getAttribute('href');
    const answer = await page.request.get(new URL(icon!, page.url()).href);
    const [status, type] = [answer.status(), answer.headers()['content-type']];
    expect({ status, type }).toEqual({ status: 200, type: 'image/svg+xml' });
  });

  it('takes the key in a field that hides it, with a name and a hint, and shows it nowhere', async () => {
    const docs = await open(1280, 900);
    await docs.page.locator('.auth-wrapper .btn.authorize').click();
    const field = docs.page.getByLabel('API key');
    expect(await field.getAttribute('type')).toBe('password');
    const hint = docs.page.locator(`#${await field.getAttribute('aria-describedby')}`);
    expect(await hint.innerText()).toContain('as_live_');
    await docs.page.locator('.btn-done').click();
    await docs.authorize(key);
    const sendAndShow = async (): Promise<void> => {
      const { request } = await docs.execute('listPets');
      expect(await request.headerValue('authorization')).toBe(`Bearer ${key}`);
      expect(await docs.page.locator('.curl').innerText()).toContain('Bearer <API_KEY>');
      expect(await docs.page.content()).not.toContain(key);
    };
    await sendAndShow();
    await docs.reload();
    await sendAndShow();
  });

  it('folds failures, has no column of links that are not there, no patterns, and says bounds', async () => {
    const docs = await open(1280, 900);
    const operation = docs.operation('listPets');
    await operation.locator('.opblock-summary-control').click();
    const failure = operation.locator('tr.response[data-code="429"]');
    const toggle = failure.locator('button[aria-expanded=false]');
    expect(await toggle.innerText()).toBe('Too many requests; try again after Retry-After.');
    await toggle.click();
    expect(await failure.innerText()).toContain('rate_limited');
    expect(await operation.getByText('No links').filter({ visible: true }).count()).toBe(0);
    expect(await operation.innerText()).not.toMatch(/\\u|pattern/);
    const limit = operation.locator('tr[data-param-name="limit"]');
    expect(await limit.innerText()).toMatch(/minimum: 1\s*maximum: 100/);
    expect(await limit.locator('input').inputValue()).toBe('20');
  });

  it.each(['createPet', 'getPet'])('folds failures and shows no pattern of escapes in %s too', async (id) => {
    const of = (await open(1280, 900)).operation(id);
    await of.locator('.opblock-summary-control').click();
    const failures = of.locator('tr.response:is([data-code^="4"], [data-code^="5"])');
    await failures.first().waitFor();
    const count = await failures.count();
    expect(count).toBeGreaterThan(5);
    expect(await failures.locator('button[aria-expanded=false]').count()).toBe(count);
    expect(await of.innerText()).not.toMatch(/\\u|pattern/);
  });

  it('has Cancel quieter than Execute', async () => {
    const docs = await open(1280, 900);
    await docs.execute('createPet');
    const background = (button: string): Promise<string> =>
      docs.page.evaluate<string>(`getComputedStyle(document.querySelector('.opblock ${button}')).backgroundColor`);
    const [cancel, execute] = [await background('.btn.cancel'), await background('.btn.execute')];
    expect(execute).not.toBe(cancel);
  });

  it.each([
    ['createPet', 1280],
    ['createPet', 390],
    ['listPets', 1280],
    ['listPets', 390],
  ])('has buttons that cover no text in %s, %d pixels wide', async (operation, width) => {
    const docs = await open(width, 900);
    await docs.execute(operation);
    const { buttons, texts, covered } = await docs.page.evaluate<Covered>(COVERED_BY_BUTTONS);
    expect(buttons).toBeGreaterThan(2);
    expect(texts).toBeGreaterThan(5);
    expect(covered).toEqual([]);
  });

  it('takes an old answer away when it refuses to send what is typed', async () => {
    const docs = await open(1280, 900);
    await docs.execute('listPets');
    const operation = docs.operation('listPets');
    await operation.locator('tr[data-param-name="limit"] input').fill('1000');
    await operation.locator('.btn.execute').click();
    await operation.locator('tr[data-param-name="limit"] input.invalid').waitFor();
    expect(await operation.locator('.live-responses-table').count()).toBe(0);
  });

  it('names the server that one sees', async () => {
    const { page } = await open(1280, 900);
    expect(await page.locator('.servers option').first().innerText()).toBe(`${service.url}/v1 - This server`);
    const localhost = service.url.replace('127.0.0.1', 'localhost');
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const other = await DocsPage.open(context, `${localhost}/docs`);
    expect(await other.page.locator('.servers option').first().innerText()).toBe(`${localhost}/v1 - This server`);
    const shown = await other.page.locator('.servers option').allInnerTexts();
    expect(shown.filter((each) => each.includes('Production'))).toEqual([]);
  });
});
