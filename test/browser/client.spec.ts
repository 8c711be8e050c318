import { createServer, type Server } from 'node:http';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { projectFolder } from '../support/command.js';
import { createSqliteDatabase } from '../support/database.js';
import { freePort } from '../support/ports.js';
import { serveOn } from '../support/served.js';
import { chromiumPath, launchChromium } from './chromium.js';

const PAGE = `<!doctype html><script type="module">
import { AnimalStoreClient } from '/client/index.js';
globalThis.walk = async (baseUrl, apiKey) => {
  const client = new AnimalStoreClient({ baseUrl, apiKey });
  for (const name of ['Rex', 'Lumi', 'Otso']) await client.createPet({ name, categoryId: 9007199254740993n });
  const seen = [];
  for await (const { pets } of client.pages({ limit: 2 })) seen.push(pets.map((pet) => pet.name + ' ' + pet.categoryId));
  return seen;
};
</script>`;

const port = await freePort();
const origin = `http://127.0.0.1:${port}`;

describe('animal-store/client', () => {
  const store = serveOn({ name: 'sqlite', createDatabase: createSqliteDatabase }, { CORS_ORIGINS: origin });
  let site: Server;
  let browser: Browser | undefined;

  beforeAll(async () => {
    site = createServer((request, response) => {
      const file = /^\/client\/[\w-]+\.js$/.exec(request.url ?? '')?.[0];
      const text = file === undefined ? Promise.resolve(PAGE) : readFile(join(projectFolder, 'dist', file), 'utf8');
      response.setHeader('Content-Type', file === undefined ? 'text/html' : 'text/javascript');
      void text.then((found) => response.end(found));
    });
    await new Promise<void>((resolve) => site.listen(port, '127.0.0.1', resolve));
    if (chromiumPath !== undefined) browser = await launchChromium();
  });

  afterAll(async () => {
    await browser?.close();
    site.close();
  });

  (chromiumPath === undefined ? it.skip : it)('runs on a page of another origin, as it is built', async () => {
    const page = await browser!.newPage();
    await page.goto(origin);
    await page.waitForFunction('globalThis.walk');
    const seen = await page.evaluate(`walk('${store.service.url}/v1', '${store.key}')`);
    expect(seen).toEqual([['Rex 9007199254740993', 'Lumi 9007199254740993'], ['Otso 9007199254740993']]);
  });
});
