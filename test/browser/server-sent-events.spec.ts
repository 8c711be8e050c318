import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { hosting } from '../support/hosting.js';
import { Service } from '../support/service.js';
import { launchChromium } from './chromium.js';

jest.setTimeout(180_000);

describe('server-sent events in Chromium', () => {
  let database: TestDatabase;
  let service: Service;
  let key: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database, ...hosting({ features: ['./features/ticker.feature.ts'] }) });
    key = await storeKey(database, { scopes: ['ticker:read'] });
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(`${service.url}/docs`);
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
    await database.drop();
  });

  it('are read by an EventSource where the handler is public, again from the last one that it has', async () => {
    const seen = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const events: unknown[] = [];
          const source = new EventSource('/v1/ticks/open');
          source.addEventListener('tick', (event) => {
            const { lastEventId, data } = event as MessageEvent;
            events.push([lastEventId, JSON.parse(String(data))]);
            if (events.length < 6) return;
            source.close();
            resolve(events);
          });
        }),
    );
    expect(seen).toEqual([1, 2, 3, 4, 5, 6].map((n) => [String(n), { n }]));
  });

  it('are refused to an EventSource elsewhere, which can send no key, and read by fetch with one', async () => {
    const refused = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const source = new EventSource('/v1/ticks/closed');
          source.onerror = () => resolve(source.readyState === EventSource.CLOSED);
        }),
    );
    expect(refused).toBe(true);
    const text = await page.evaluate(async (authorization) => {
      const headers = { authorization, accept: 'text/event-stream' };
      return (await fetch('/v1/ticks/closed', { headers })).text();
    }, `Bearer ${key}`);
    expect(text).toContain('event: tick\nid: 8\nretry: 10\ndata: {"n":8}\n\n');
  });
});
