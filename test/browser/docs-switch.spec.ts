import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

describe.each([
  ['pets@example.com', 'mailto:pets@example.com', { email: 'pets@example.com' }],
  [
    'https://example.com/help?team=pets&x',
    'https://example.com/help?team=pets&x',
    { url: 'https://example.com/help?team=pets&x' },
  ],
])('with DOCS_CONTACT=%s', (DOCS_CONTACT, href, contact) => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database, env: { DOCS_CONTACT } });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('the page has a link to it, and the document names it', async () => {
    const client = new HttpClient(service.url);
    const { text } = await client.get('/docs');
    expect(text).toContain(`<a href="${href.replace('&', '&#38;')}">contact</a>`);
    expect((await client.get('/openapi.json')).json()).toMatchObject({ info: { contact } });
  });
});

describe('with DOCS_ENABLED=false', () => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database, env: { DOCS_ENABLED: 'false' } });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it.each(['/', '/docs', '/docs/assets/docs-ui.js', '/openapi.json', '/openapi.yaml'])(
    'there is nothing at %s',
    async (path) => {
      const answer = await new HttpClient(service.url).get(path, { headers: { accept: 'text/html' } });
      expect(answer).toBeErrorShape(404, 'route_not_found');
    },
  );
});
