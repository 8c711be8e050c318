/**
 * Takes the pictures of `/docs` for README, from the built service on an empty database, with the Chromium of this
 * machine.
 */
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { startService } from './built-service.mjs';

const FOLDER = 'docs/pictures';
const VIEWS = [
  { name: 'docs-light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'docs-dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 }, open: 'listPets' },
  { name: 'docs-phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

await using service = await startService({ PORT: '3000' });
for (const [name, categoryId] of [
  ['Rex', 7],
  ['Mia', 3],
]) {
  await fetch('http://127.0.0.1:3000/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${service.key}` },
    body: JSON.stringify({ name, categoryId }),
  });
}
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
mkdirSync(FOLDER, { recursive: true });
for (const { name, open, ...options } of VIEWS) {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto('http://127.0.0.1:3000/docs');
  await page.locator('.opblock').first().waitFor();
  if (open !== undefined) {
    await page.evaluate((text) => globalThis.sessionStorage.setItem('bearerAuth /docs', text), service.key);
    await page.goto(`http://127.0.0.1:3000/docs#${open}`);
    await page.reload();
    await page.locator('.btn.execute').click();
    await page.locator('.live-responses-table .response-col_status').first().waitFor();
    await page.locator('.responses-wrapper').evaluate((answer) => answer.scrollIntoView());
  }
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
}
await browser.close();
