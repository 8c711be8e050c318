import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { Service } from '../support/service.js';
import { launchChromium } from './chromium.js';
import { DocsPage } from './docs-page.js';

jest.setTimeout(180_000);

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

  it('takes the key in a field that hides it, with a name and a hint, and shows it nowhere', async () => {
    const docs = await open(1280, 900);
    await docs.page.locator('.auth-wrapper .btn.authorize').click();
    const field = docs.page.getByLabel('API key');
    expect(await field.getAttribute('type')).toBe('password');
    const hint = docs.page.locator(`#${await field.getAttribute('aria-describedby')}`);
    expect(await hint.innerText()).toContain('as_live_');
    await docs.page.locator('.btn-done').click();
    await docs.authorize(key);
    const { request } = await docs.execute('listPets');
    expect(await request.headerValue('authorization')).toBe(`Bearer ${key}`);
    expect(await docs.page.locator('.curl').innerText()).toContain('Bearer <API_KEY>');
    expect(await docs.page.content()).not.toContain(key);
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
  });
});
