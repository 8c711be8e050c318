import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { AxeResults } from 'axe-core';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { Service } from '../support/service.js';
import { launchChromium } from './chromium.js';
import { DocsPage } from './docs-page.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The success criteria of WCAG 2.2 up to level AA that a program can check. */
const CRITERIA = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Swagger UI puts the link of an operation inside the button that opens it. */
const OF_SWAGGER_UI = 'nested-interactive';

const desktop = { viewport: { width: 1280, height: 900 } };

let database: TestDatabase;
let service: Service;
let browser: Browser;

// Chromium shares the machine with other tests. Nothing here measures time.
jest.setTimeout(180_000);

/** Opens everything that can be opened: every operation, its headers, an answer, and the dialog for the key. */
async function opened(reader: BrowserContextOptions): Promise<DocsPage> {
  const docs = await DocsPage.open(await browser.newContext(reader), `${service.url}/docs`);
  for (const id of ['listPets', 'createPet', 'getPet']) await docs.execute(id);
  await docs.page.evaluate(`document.querySelectorAll('.docs-headers').forEach((folded) => (folded.open = true))`);
  return docs;
}

/** The violations that axe finds: each rule with the elements that violate it. */
async function objections(docs: DocsPage): Promise<unknown[]> {
  await docs.page.evaluate(axe);
  const { violations } = await docs.page.evaluate<AxeResults>(
    `axe.run({ runOnly: ${JSON.stringify(CRITERIA)}, rules: { '${OF_SWAGGER_UI}': { enabled: false } } })`,
  );
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html, failureSummary }) => [html, failureSummary])]);
}

describe('the page at /docs, for every reader', () => {
  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
    await database.drop();
  });

  describe.each(['light', 'dark'] as const)('with a %s screen', (colorScheme) => {
    let docs: DocsPage;

    beforeAll(async () => {
      docs = await opened({ ...desktop, colorScheme });
    });

    it('everything can be read and has a name', async () => {
      await docs.photograph(colorScheme);
      expect(await objections(docs)).toStrictEqual([]);
    });

    it('and so in the dialog for the key', async () => {
      await docs.page.locator('.auth-wrapper .btn.authorize').click();
      await docs.page.locator('.modal-ux input').waitFor();
      expect(await objections(docs)).toStrictEqual([]);
    });

    it('has one main part', async () => {
      expect(await docs.page.locator('main').count()).toBe(1);
    });
  });

  describe('on a phone', () => {
    it('nothing sticks out of the side', async () => {
      const docs = await opened({ viewport: { width: 320, height: 640 } });
      await docs.photograph('phone');
      expect(await docs.page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    });
  });

  describe('with a keyboard', () => {
    it('whatever has the focus is seen to have it', async () => {
      const { page } = await DocsPage.open(await browser.newContext(desktop), `${service.url}/docs`);
      const unseen: unknown[] = [];
      for (let step = 0; step < 40; step++) {
        await page.keyboard.press('Tab');
        const [style, element] = await page.evaluate<[string, string]>(
          `[getComputedStyle(document.activeElement).outlineStyle, document.activeElement.outerHTML.slice(0, 100)]`,
        );
        if (style === 'none' && !element.startsWith('<body')) unseen.push(element);
      }
      expect(unseen).toStrictEqual([]);
    });
  });
});
