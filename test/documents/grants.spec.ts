import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { runCommand } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onMysql } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { readDocument } from '../support/markdown.js';
import { Service } from '../support/service.js';

onMysql('the grants of docs/operating.md', (engine) => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await engine.createDatabase();
    await grant('grants-owner');
    const { code, stderr } = await runCommand(as('owner'), ['migrate']);
    expect(`${code} ${stderr}`).toMatch(/^0 /);
    await grant('grants-service');
    service = await Service.start({ database: as('service'), env: { MIGRATIONS: 'check' } });
  });

  afterAll(async () => {
    await service.stop();
    for (const login of ['owner', 'service']) await database.query(`DROP USER '${userOf(login)}'@'%'`);
    await database.drop();
  });

  /** Runs the page's statements, its database and logins being those of this test. */
  async function grant(mark: string): Promise<void> {
    const block = readDocument('docs/operating.md').fences.find(({ words }) => words.includes(mark))!;
    for (const statement of block.text.split(';').filter((text) => text.trim() !== '')) {
      await database.query(
        statement
          .replaceAll('animal_store.', `${name()}.`)
          .replaceAll("'animal_store_owner'", `'${userOf('owner')}'`)
          .replaceAll("'animal_store'", `'${userOf('service')}'`),
      );
    }
  }

  const name = (): string => new URL(database.url).pathname.slice(1);
  /** MySQL allows 32 characters. */
  const userOf = (login: string): string => `${name()}_${login}`.slice(-32);

  function as(login: 'owner' | 'service'): { url: string } {
    const url = new URL(database.url);
    url.username = userOf(login);
    url.password = `change-me-${login}`;
    return { url: url.href };
  }

  it('are enough for all that the service does', async () => {
    const { stdout: key } = await runCommand(as('owner'), ['keys', 'create', '--name', 'test']);
    const client = new HttpClient(service.url, key.trim());
    const headers = { 'idempotency-key': 'one' };
    const created = await client.post('/v1/pets', { name: 'Rex', categoryId: 7 }, { headers });
    expect(created.status).toBe(201);
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 }, { headers })).text).toBe(created.text);
    expect((await client.get('/v1/pets?status=available')).text).toBe(`[${created.text}]`);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(await database.query('SELECT last_used_day > 0 AS used FROM api_key')).toEqual([{ used: 1n }]);
    service = await Service.start({ database: as('service'), env: { MIGRATIONS: 'check' } });
  });

  it.each([
    ["UPDATE pet SET name = 'x'", 'ER_TABLEACCESS_DENIED_ERROR'],
    ['DELETE FROM pet', 'ER_TABLEACCESS_DENIED_ERROR'],
    ["UPDATE api_key SET scopes = '*'", 'ER_COLUMNACCESS_DENIED_ERROR'],
    ['DROP TABLE pet', 'ER_TABLEACCESS_DENIED_ERROR'],
  ])('do not allow the service to %s', async (statement, code) => {
    const { default: mysql } = await import('mysql2/promise');
    const connection = await mysql.createConnection(as('service').url);
    try {
      await expect(connection.query(statement)).rejects.toMatchObject({ code });
    } finally {
      await connection.end();
    }
  });
});
