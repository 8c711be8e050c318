import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inventKey, publicIdOf, storeKey } from '../support/api-keys.js';
import { runCommand } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { type Answer, HttpClient, type RequestOptions } from '../support/http.js';
import { exchangeRaw, RawConnection } from '../support/raw-http.js';
import { type LogLine, Service } from '../support/service.js';

const MISSING = 'Bearer realm="animal-store"';
const INVALID = 'Bearer realm="animal-store", error="invalid_token"';
const HOUR_MS = 3_600_000;

/** No limit: these tests fail to authenticate more often per minute than one address may. */
const env = { AUTH_FAILURES_PER_MINUTE: '0' };

onEachEngine('authentication', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, env });
    key = await storeKey(database);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const withAuthorization = (authorization: string): Promise<Answer> =>
    new HttpClient(service.url).get('/v1/pets', { headers: { authorization } });
  const withKey = (text: string): Promise<Answer> => new HttpClient(service.url, text).get('/v1/pets');
  const cli = (...args: string[]) => runCommand(database, ['keys', ...args]);

  function expectMissing(answer: Answer): void {
    expect(answer).toBeErrorShape(401, 'missing_api_key');
    expect(answer.headers.get('www-authenticate')).toBe(MISSING);
  }

  function expectInvalid(answer: Answer, code = 'invalid_api_key'): void {
    expect(answer).toBeErrorShape(401, code);
    expect(answer.headers.get('www-authenticate')).toBe(INVALID);
  }

  describe('the header', () => {
    it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme as %s', async (scheme) => {
      expect((await withAuthorization(`${scheme} ${key}`)).status).toBe(200);
    });

    it('is missing', async () => {
      expectMissing(await new HttpClient(service.url).get('/v1/pets'));
    });

    it.each(['Basic dXNlcjpwYXNz', 'Digest username="x"', 'Bearer', 'Bearer ', 'Token', ''])(
      'has no bearer key: %p',
      async (authorization) => {
        expectMissing(await withAuthorization(authorization));
      },
    );

    it('has the bare key without a scheme', async () => {
      expectMissing(await withAuthorization(key));
    });

    it('comes twice, even with one good key twice', async () => {
      const authorization = `Authorization: Bearer ${key}\r\n`;
      const head = `GET /v1/pets HTTP/1.1\r\nHost: pets.test\r\n`;
      const answer = await exchangeRaw(service.url, `${head}${authorization}${authorization}\r\n`);
      expect(answer).toBeErrorShape(401, 'invalid_api_key');
      expect(answer.headers.get('www-authenticate')).toBe(INVALID);
      const mixed = await exchangeRaw(service.url, `${head}Authorization: Basic eA==\r\n${authorization}\r\n`);
      expect(mixed).toBeErrorShape(401, 'invalid_api_key');
    });

    it('is the only place for a key', async () => {
      const client = new HttpClient(service.url);
      for (const name of ['api_key', 'access_token', 'key', 'Authorization']) {
        expectMissing(await client.get(`/v1/pets?${name}=${encodeURIComponent(key)}`));
      }
      for (const name of ['x-api-key', 'proxy-authorization', 'cookie']) {
        expectMissing(await client.get('/v1/pets', { headers: { [name]: `Bearer ${key}` } }));
      }
    });
  });

  describe('a key', () => {
    it('is refused whatever part of it is changed', async () => {
      const [, environment = '', id = '', secret = ''] = key.split('_');
      const other = (text: string): string => (text.startsWith('0') ? '1' : '0') + text.slice(1);
      for (const changed of [
        key.toUpperCase(),
        key.toLowerCase(),
        key.slice(0, -1),
        `${key}0`,
        `as_live_${id}_${secret}`,
        `as_${environment}_${other(id)}_${secret}`,
        `as_${environment}_${id}_${other(secret)}`,
        `as_${environment}_${id}_${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`,
        `${key} ${key}`,
        `"${key}"`,
        `${key},`,
        'x',
        '\u{E9}',
        'x'.repeat(8192),
      ]) {
        expectInvalid(await withAuthorization(`Bearer ${Buffer.from(changed).toString('latin1')}`));
      }
    });

    it('may be one of several of its client', async () => {
      expect((await withKey(await storeKey(database, { client: 'test' }))).status).toBe(200);
      expect((await withKey(key)).status).toBe(200);
    });
  });

  describe('the database', () => {
    /** Without its table no key can be looked up. An answer other than 5xx was then given without a query. */
    const withoutKeys = async (work: () => Promise<void>): Promise<void> => {
      await database.query('ALTER TABLE api_key RENAME TO api_key_away');
      try {
        await work();
      } finally {
        await database.query('ALTER TABLE api_key_away RENAME TO api_key');
      }
    };

    it('is not asked about a malformed key, nor about one without a key', async () => {
      await withoutKeys(async () => {
        expect((await withKey(inventKey())).status).toBeGreaterThanOrEqual(500);
        expectInvalid(await withKey(inventKey().slice(0, -6) + '000000'));
        expectInvalid(await withKey(`${inventKey()}0`));
        expectInvalid(await withKey('x'.repeat(8192)));
        expectMissing(await new HttpClient(service.url).get('/v1/pets'));
      });
    });

    it('is not asked twice about the same key, known or unknown', async () => {
      const unknown = inventKey();
      expectInvalid(await withKey(unknown));
      expect((await withKey(key)).status).toBe(200);
      await withoutKeys(async () => {
        expectInvalid(await withKey(unknown));
        expect((await withKey(key)).status).toBe(200);
      });
    });
  });

  describe('the life of a key', () => {
    interface Listed {
      readonly id: string;
      readonly client: string;
      readonly scopes: readonly string[];
      readonly state: string;
      readonly expiresAt: string | null;
    }

    it('is kept at the command line, with a key alone on stdout', async () => {
      const production = {
        NODE_ENV: 'production',
        PUBLIC_BASE_URL: 'https://pets.test/v1',
        DATABASE_TLS_MODE: 'disable',
      };
      const args = ['keys', 'create', '--name', 'shop', '--scopes', 'pets:read'];
      const created = await runCommand(database, args, production);
      expect(created.code).toBe(0);
      expect(created.stdout).toMatch(/^as_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}\n$/);
      const old = created.stdout.trim();
      expect((await withKey(old)).status).toBe(200);

      const rolled = await cli('roll', publicIdOf(old), '--overlap', '24h');
      expect(rolled.code).toBe(0);
      expect(rolled.stdout).toMatch(/^as_test_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}\n$/);
      const successor = rolled.stdout.trim();
      expect((await withKey(old)).status).toBe(200);
      expect((await withKey(successor)).status).toBe(200);

      const json = await cli('list', '--json');
      const table = await cli('list');
      expect([json.code, table.code]).toEqual([0, 0]);
      const listed = (JSON.parse(json.stdout) as Listed[]).filter(({ client }) => client === 'shop');
      const shop = { client: 'shop', scopes: ['pets:read'], state: 'live' };
      expect(listed).toMatchObject([
        { id: publicIdOf(old), ...shop },
        { id: publicIdOf(successor), ...shop, expiresAt: null },
      ]);
      const end = Date.parse(listed[0]?.expiresAt ?? '');
      expect(Math.abs(end - Date.now() - 24 * HOUR_MS)).toBeLessThan(HOUR_MS);

      const rows = JSON.stringify(await database.query('SELECT id, client, hash, scopes FROM api_key'));
      for (const secret of [old, successor].map((text) => text.split('_')[3] ?? '')) {
        for (const seen of [created.stderr, rolled.stderr, json.stdout, table.stdout, rows]) {
          expect(seen).not.toContain(secret.slice(0, 8));
        }
        expect(table.stdout).toContain('shop');
      }
    });

    it('is logged at each change, whatever LOG_LEVEL says, without the secret', async () => {
      const audited = async (...args: string[]) => {
        const { stdout, stderr } = await runCommand(database, ['keys', ...args], { LOG_LEVEL: 'error' });
        const messages = stderr.trim().split('\n');
        const lines = messages.filter((line) => line.startsWith('{'));
        expect(lines).toHaveLength(1);
        if (args[0] !== 'revoke') expect(messages).toEqual(lines);
        return { key: stdout.trim(), line: JSON.parse(lines[0] ?? '') as LogLine };
      };
      const terms = { client: 'audited', level: 'info' };
      const { key: old, line: created } = await audited('create', '--name', 'audited', '--scopes', 'pets:read');
      const oldId = publicIdOf(old);
      expect(created).toMatchObject({ event: 'key.created', key_id: oldId, scopes: ['pets:read'], ...terms });
      const { key: next, line: rolled } = await audited('roll', oldId, '--overlap', '0');
      const nextId = publicIdOf(next);
      expect(rolled).toMatchObject({ event: 'key.rolled', key_id: oldId, successor_id: nextId, ...terms });
      expect((await audited('revoke', nextId)).line).toMatchObject({ event: 'key.revoked', key_id: nextId, ...terms });

      for (const [presented, reason, keyId] of [
        [old, 'expired', oldId],
        [next, 'revoked', nextId],
        [inventKey('nobody00'), 'unknown', 'nobody00'],
        [inventKey(oldId), 'mismatch', oldId],
        [next.slice(0, -1), 'malformed', undefined],
      ] as const) {
        const { headers } = await withKey(presented);
        const asked = headers.get('x-request-id');
        const isRefusal = (line: LogLine): boolean => line['event'] === 'auth.failed' && line['request_id'] === asked;
        const line = await service.untilLogged(isRefusal);
        expect(line).toMatchObject({ level: 'warn', reason, client_ip: '127.0.0.1' });
        expect(line['key_id']).toBe(keyId);
      }
    });

    it('is shown with times in UTC, whatever the time zones of the process and of the database', async () => {
      const zone = { TZ: 'Pacific/Auckland' };
      const before = Date.now();
      const created = await runCommand(
        database,
        ['keys', 'create', '--name', 'zone', '--expires-at', new Date(before + HOUR_MS).toISOString()],
        zone,
      );
      const { stdout } = await runCommand(database, ['keys', 'list', '--json'], zone);
      const listed = (JSON.parse(stdout) as (Listed & { createdAt: string })[]).find(({ client }) => client === 'zone');
      expect(listed?.createdAt).toMatch(/Z$/);
      expect(Date.parse(listed?.createdAt ?? '')).toBeGreaterThanOrEqual(before - 1000);
      expect(Date.parse(listed?.createdAt ?? '')).toBeLessThanOrEqual(Date.now() + 1000);
      expect((await withKey(created.stdout.trim())).status).toBe(200);
    });

    it('ends on its day', async () => {
      const brief = await storeKey(database, { expiresAt: Date.now() + 24 * HOUR_MS });
      expect((await withKey(brief)).status).toBe(200);
      // Only one process at a time may use an SQLite file.
      if (engine.name === 'sqlite') await service.stop();
      const tomorrow = await Service.start({ database, ...hosting({ laterMs: 25 * HOUR_MS, env }) });
      expectInvalid(await new HttpClient(tomorrow.url, brief).get('/v1/pets'), 'expired_api_key');
      expect((await new HttpClient(tomorrow.url, key).get('/v1/pets')).status).toBe(200);
      await tomorrow.stop();
      if (engine.name === 'sqlite') service = await Service.start({ database, env });
    });

    it('ends by revocation on every replica within 5 s, however busy', async () => {
      const replicas = [service];
      if (engine.name === 'mysql') replicas.push(await Service.start({ database, env }));
      const leaked = await storeKey(database, { client: 'leaked' });
      const clients = replicas.map((replica) => new HttpClient(replica.url, leaked));
      for (const client of clients) expect((await client.get('/v1/pets')).status).toBe(200);
      expect(await cli('revoke', publicIdOf(leaked))).toMatchObject({ code: 0, stdout: '' });
      const until = performance.now() + 5000;
      while (performance.now() < until) {
        await Promise.all(clients.map((client) => client.get('/v1/pets')));
        await sleep(200);
      }
      for (const client of clients) expectInvalid(await client.get('/v1/pets'));
      await replicas[1]?.stop();
    });

    it('commands exit with 2 for wrong usage and with 1 for a failure, with nothing on stdout', async () => {
      expect(await cli('create', '--name', 'x', '--scopes', 'cats:read')).toMatchObject({ code: 2, stdout: '' });
      expect(await cli('revoke', 'zzzzzzz9')).toMatchObject({ code: 1, stdout: '' });
    });
  });

  describe('scopes', () => {
    const pet = { name: 'Otso', categoryId: 1 };
    const scoped = async (...scopes: string[]): Promise<HttpClient> =>
      new HttpClient(service.url, await storeKey(database, { scopes }));

    function expectLacking(answer: Answer, scope: string): void {
      expect(answer).toBeErrorShape(403, 'insufficient_scope');
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer realm="animal-store", error="insufficient_scope", scope="${scope}"`,
      );
    }

    it('let a reader read and not write', async () => {
      const reader = await scoped('pets:read');
      expect((await reader.get('/v1/pets')).status).toBe(200);
      expect(await reader.get('/v1/pets/999999')).toBeErrorShape(404, 'pet_not_found');
      expectLacking(await reader.post('/v1/pets', pet), 'pets:write');
    });

    it('let a writer write and not read', async () => {
      const writer = await scoped('pets:write');
      expect((await writer.post('/v1/pets', pet)).status).toBe(201);
      expectLacking(await writer.get('/v1/pets'), 'pets:read');
      expectLacking(await writer.get('/v1/pets/1'), 'pets:read');
    });

    it('may be both, or everything', async () => {
      for (const client of [await scoped('pets:read', 'pets:write'), new HttpClient(service.url, key)]) {
        expect((await client.get('/v1/pets')).status).toBe(200);
        expect((await client.post('/v1/pets', pet)).status).toBe(201);
      }
    });
  });

  describe('what is open', () => {
    it.each(['/docs', '/openapi.json', '/openapi.yaml'])('%s', async (path) => {
      expect((await new HttpClient(service.url).get(path)).status).toBe(200);
    });

    it('probes and metrics, on a port of their own only', async () => {
      for (const path of ['/livez', '/readyz', '/startupz', '/metrics']) {
        expect((await new HttpClient(service.managementUrl).get(path)).status).toBe(200);
        expect(await new HttpClient(service.url, key).get(path)).toBeErrorShape(404, 'route_not_found');
      }
      expect(await new HttpClient(service.managementUrl, key).get('/v1/pets')).toBeErrorShape(404, 'route_not_found');
    });
  });

  describe('the order of checks', () => {
    const stranger = (method: string, path: string, options?: RequestOptions): Promise<Answer> =>
      new HttpClient(service.url).request(method, path, options);

    it('looks for the route and the method before the key', async () => {
      expect(await stranger('GET', '/v1/cats')).toBeErrorShape(404, 'route_not_found');
      expect(await stranger('DELETE', '/v1/pets')).toBeErrorShape(405, 'method_not_allowed');
    });

    it('looks at the key before everything else', async () => {
      const headers = { accept: 'text/html', 'content-type': 'text/plain', 'idempotency-key': 'a b' };
      expectMissing(await stranger('POST', '/v1/pets?x=1', { headers, body: 'x'.repeat(20_000) }));
      expectMissing(await stranger('GET', '/v1/pets?limit=0', { headers: { accept: 'text/html' } }));
      expectMissing(await stranger('GET', '/v1/pets/abc'));
    });

    it('looks at the scope before the body', async () => {
      const reader = new HttpClient(service.url, await storeKey(database, { scopes: ['pets:read'] }));
      const answer = await reader.post('/v1/pets', '{', { headers: { accept: 'text/html', 'content-type': 'x/y' } });
      expect(answer).toBeErrorShape(403, 'insufficient_scope');
    });

    it('reads no body before the key is accepted', async () => {
      const connection = await RawConnection.open(service.url);
      const head =
        'POST /v1/pets HTTP/1.1\r\nHost: pets.test\r\nContent-Type: application/json\r\nContent-Length: 30\r\n';
      connection.send(`${head}Expect: 100-continue\r\n\r\n`);
      // The first answer would be 100 if the service asked for the body.
      expect(await connection.receive()).toBeErrorShape(401, 'missing_api_key');
      connection.close();
      const accepted = await RawConnection.open(service.url);
      accepted.send(`${head}Expect: 100-continue\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      expect((await accepted.receive()).status).toBe(100);
      accepted.send('{"name":"Otso","categoryId":7}');
      expect((await accepted.receive()).status).toBe(201);
      accepted.close();
    });
  });
});
