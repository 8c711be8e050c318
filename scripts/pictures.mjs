/** Takes the pictures of `/docs` that README shows, of the built service on an empty database, with the machine's Chromium. */
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright-core';

const FOLDER = 'docs/pictures';
const VIEWS = [
  { name: 'docs-light', colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  { name: 'docs-dark', colorScheme: 'dark', viewport: { width: 1280, height: 900 }, open: 'listPets' },
  { name: 'docs-phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
];

const service = spawn(process.execPath, ['dist/main.js'], {
  env: {
    PATH: process.env.PATH,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: '3000',
    MANAGEMENT_PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const said = await new Promise((resolve, reject) => {
  let text = '';
  service.stdout.setEncoding('utf8').on('data', (part) => /as_test_\w+/.test((text += part)) && resolve(text));
  service.on('exit', () => reject(new Error('The service did not start: is port 3000 free?')));
});
const [key] = /as_test_\w+/.exec(said);
for (const [name, categoryId] of [
  ['Rex', 7],
  ['Mia', 3],
]) {
  await fetch('http://127.0.0.1:3000/v1/pets', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${key}` },
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
    await page.evaluate((text) => globalThis.sessionStorage.setItem('bearerAuth /docs', text), key);
    await page.goto(`http://127.0.0.1:3000/docs#${open}`);
    await page.reload();
    await page.locator('.btn.execute').click();
    await page.locator('.live-responses-table .response-col_status').first().waitFor();
    await page.locator('.responses-wrapper').evaluate((answer) => answer.scrollIntoView());
  }
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
}
await browser.close();
service.kill();
