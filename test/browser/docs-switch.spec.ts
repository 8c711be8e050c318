import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

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
