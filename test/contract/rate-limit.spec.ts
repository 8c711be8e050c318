import { Agent, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inventKey, storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { type Answer, HttpClient, type RequestOptions } from '../support/http.js';
import { RawConnection } from '../support/raw-http.js';
import { Redis } from '../support/redis.js';
import { type LogLine, Service } from '../support/service.js';

const LIMIT = 5;

/** The remaining requests, by the RateLimit header of an answer. */
function remaining(answer: Answer): number {
  return Number(/^"default";r=(\d+);t=\d+$/.exec(answer.headers.get('ratelimit') ?? '')?.[1] ?? NaN);
}

function expectLimited(answer: Answer): void {
  expect(answer).toBeErrorShape(429, 'rate_limited');
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(answer.headers.get('cache-control')).toBe('no-store');
}

function events(service: Service, ...names: string[]): LogLine[] {
  return service.log.filter(({ event }) => names.includes(String(event)));
}

onEachEngine('the limit of a client', (engine) => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, env: { RATE_LIMIT_PER_MINUTE: String(LIMIT) } });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('is on every authenticated answer, counts down, and ends in 429 with Retry-After', async () => {
    const client = new HttpClient(service.url, await storeKey(database, { client: 'counting' }));
    const answers = [
      await client.get('/v1/pets'),
      await client.post('/v1/pets', {}),
      await client.get('/v1/pets/999'),
      await client.request('HEAD', '/v1/pets'),
      await client.get('/v1/pets?limit=0'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 200, 400]);
    expect(answers.map(remaining)).toEqual([4, 3, 2, 1, 0]);
    const refused = await client.post('/v1/pets', { name: 'Lumi', categoryId: 1 });
    expectLimited(refused);
    expect(remaining(refused)).toBe(0);
    for (const answer of [...answers, refused]) {
      expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=5;w=60');
    }
    expect(await database.query('SELECT id FROM pet')).toEqual([]);
  });

  it.each<[number, string, RequestOptions]>([
    [201, 'POST /v1/pets', { body: { name: 'Lumi', categoryId: 1 } }],
    [304, 'GET /v1/pets', { headers: { 'if-none-match': '*' } }],
    [400, 'POST /v1/pets', { body: '{' }],
    [406, 'GET /v1/pets', { headers: { accept: 'text/html' } }],
    [413, 'POST /v1/pets', { body: ' '.repeat(20_000) }],
    [415, 'POST /v1/pets', { body: '{}', headers: { 'content-type': 'text/plain' } }],
  ])('is on a %d of %s', async (status, request, options) => {
    const client = new HttpClient(service.url, await storeKey(database, { client: `told with a ${status}` }));
    const [method = '', path = ''] = request.split(' ');
    const answer = await client.request(method, path, options);
    expect([answer.status, remaining(answer)]).toEqual([status, LIMIT - 1]);
    expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=5;w=60');
  });

  it('is on a 403 too, which counts and is never turned into a 429', async () => {
    const reader = new HttpClient(service.url, await storeKey(database, { client: 'lacking', scopes: ['pets:read'] }));
    const refused: Answer[] = [];
    for (let n = 0; n < LIMIT + 2; n += 1) refused.push(await reader.post('/v1/pets', {}));
    for (const answer of refused) expect(answer).toBeErrorShape(403, 'insufficient_scope');
    expect(refused.map(remaining)).toEqual([4, 3, 2, 1, 0, 0, 0]);
    expectLimited(await reader.get('/v1/pets'));
  });

  it('is shared by the keys of one client, and by no two clients', async () => {
    const first = new HttpClient(service.url, await storeKey(database, { client: 'shared' }));
    const second = new HttpClient(service.url, await storeKey(database, { client: 'shared' }));
    const other = new HttpClient(service.url, await storeKey(database, { client: 'other' }));
    const answers = [await first.get('/v1/pets'), await second.get('/v1/pets'), await first.get('/v1/pets')];
    expect(answers.map(remaining)).toEqual([4, 3, 2]);
    expect(remaining(await other.get('/v1/pets'))).toBe(4);
    await second.get('/v1/pets');
    await second.get('/v1/pets');
    expectLimited(await first.get('/v1/pets'));
    expectLimited(await second.get('/v1/pets'));
    expect(remaining(await other.get('/v1/pets'))).toBe(3);
  });

  it('comes after the key and the scope, and before everything else', async () => {
    const reader = new HttpClient(service.url, await storeKey(database, { client: 'ordered', scopes: ['pets:read'] }));
    for (let n = 0; n < LIMIT; n += 1) await reader.get('/v1/pets');
    expectLimited(await reader.get('/v1/pets?limit=0', { headers: { accept: 'text/html' } }));
    expectLimited(await reader.get('/v1/pets/1'));
    expect(await reader.post('/v1/pets', {})).toBeErrorShape(403, 'insufficient_scope');
    expect(await reader.get('/v1/nope')).toBeErrorShape(404, 'route_not_found');
    expect(await reader.request('PUT', '/v1/pets')).toBeErrorShape(405, 'method_not_allowed');
  });

  it('is counted in the order of the requests of a connection, also for one whose body is malformed', async () => {
    const key = await storeKey(database, { client: 'in order' });
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    const valid = `${head}Content-Length: 27\r\n\r\n{"name":"N","categoryId":1}`;
    const connection = await RawConnection.open(service.url);
    connection.send(`${valid}${valid}${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    const answers = [await connection.receive(), await connection.receive(), await connection.receive()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 400]);
    expect(answers.map(({ headers }) => /r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])).toStrictEqual([
      '4',
      '3',
      '2',
    ]);
    expect(await connection.untilClosed()).toBe(true);
  });

  it('is neither shown to clients without a key nor applied to public routes', async () => {
    const stranger = new HttpClient(service.url);
    for (let n = 0; n <= LIMIT; n += 1) {
      const answer = await stranger.get('/v1/pets');
      expect([answer.status, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]).toEqual([
        401,
        null,
        null,
      ]);
      expect((await stranger.get('/openapi.json')).status).toBe(200);
    }
  });
});

describe('limits by configuration', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createSqliteDatabase();
  });

  afterAll(() => database.drop());

  it('are generous unless set', async () => {
    const service = await Service.start({ database });
    const answer = await new HttpClient(service.url, await storeKey(database)).get('/v1/pets');
    expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=6000;w=60');
    expect(remaining(answer)).toBe(5999);
    await service.stop();
  });

  it('are off at 0, both of them', async () => {
    const service = await Service.start({
      database,
      env: { RATE_LIMIT_PER_MINUTE: '0', AUTH_FAILURES_PER_MINUTE: '0' },
    });
    const client = new HttpClient(service.url, await storeKey(database));
    const guesser = new HttpClient(service.url, 'wrong');
    for (let n = 0; n < 30; n += 1) {
      const answer = await client.get('/v1/pets');
      expect([answer.status, answer.headers.get('ratelimit'), answer.headers.get('ratelimit-policy')]).toEqual([
        200,
        null,
        null,
      ]);
      expect((await guesser.get('/v1/pets')).status).toBe(401);
    }
    await service.stop();
  });
});

describe('failed authentication', () => {
  let database: TestDatabase;
  let service: Service;

  const env = { AUTH_FAILURES_PER_MINUTE: String(LIMIT) };

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database, env });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** Sends one request from an address of the loopback network, with a bad key by default. */
  async function from(localAddress: string, forwardedFor?: string, key = 'wrong'): Promise<number> {
    const agent = new Agent();
    const headers = {
      authorization: `Bearer ${key}`,
      ...(forwardedFor !== undefined && { 'x-forwarded-for': forwardedFor }),
    };
    return new Promise((resolve, reject) => {
      const options = { agent, localAddress, path: '/v1/pets', headers };
      const outgoing = request(service.url, options, (response) => {
        void readText(response).then(() => resolve(response.statusCode ?? 0), reject);
      });
      outgoing.once('error', reject).end();
    });
  }

  async function repeatedly(times: number, send: (n: number) => Promise<number>): Promise<number[]> {
    const statuses: number[] = [];
    for (let n = 0; n < times; n += 1) statuses.push(await send(n));
    return statuses;
  }

  it('is limited per source address, and a valid key from there never is', async () => {
    const key = await storeKey(database, { client: 'neighbour' });
    expect(await repeatedly(8, () => from('127.0.0.2'))).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect(await repeatedly(30, () => from('127.0.0.2', undefined, key))).toEqual(Array<number>(30).fill(200));
    expect(await repeatedly(2, () => from('127.0.0.3'))).toEqual([401, 401]);
    // Every kind of bad key counts as guessing.
    expect(await from('127.0.0.2', undefined, inventKey())).toBe(429);
    const limited = await new HttpClient(service.url, 'wrong').get('/v1/pets');
    expect(limited).toBeErrorShape(401, 'invalid_api_key');
    for (let n = 1; n < LIMIT; n += 1) await new HttpClient(service.url, 'wrong').get('/v1/pets');
    expectLimited(await new HttpClient(service.url, 'wrong').get('/v1/pets'));
  });

  it('does not count a request without a key, which guesses nothing', async () => {
    const stranger = new HttpClient(service.url);
    for (let n = 0; n < 3 * LIMIT; n += 1) expect((await stranger.get('/v1/pets')).status).toBe(401);
  });

  it('ignores X-Forwarded-For if TRUST_PROXY is 0', async () => {
    const forged = (n: number) => from('127.0.0.6', `203.0.113.${String(n)}`);
    expect(await repeatedly(7, forged)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    // A client cannot use up the limit of another address either.
    await repeatedly(10, () => from('127.0.0.4', '127.0.0.5'));
    expect(await from('127.0.0.5')).toBe(401);
    expect(events(service, 'auth.failed').map((line) => line['client_ip'])).not.toContain('203.0.113.1');
  });

  it('takes the address from as many proxies as TRUST_PROXY says, and from nobody before them', async () => {
    await service.stop();
    service = await Service.start({ database, env: { ...env, TRUST_PROXY: '1' } });
    const client = (n: number) => from('127.0.0.2', `198.51.100.${String(n)}`);
    expect(await repeatedly(7, () => client(1))).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(await client(2)).toBe(401);
    // The address that the client itself sends stands left of the address that the proxy appends.
    expect(await from('127.0.0.2', '203.0.113.7, 198.51.100.1')).toBe(429);
  });

  it.each([
    ['203.0.113.7:1001', '203.0.113.7:1002', '203.0.113.8:1001'],
    ['[2001:db8::1]:1001', '[2001:db8::1]:1002', '[2001:db8:1::1]:1001'],
    ['[2001:db8:2::1]', '2001:db8:2::1', '[2001:db8:3::1]'],
    ['198.51.100.77:65535', '198.51.100.77', '198.51.100.78'],
  ])('is the address, whatever its port: %s and %s, but not %s', async (one, same, other) => {
    expect(await repeatedly(6, (n) => from('127.0.0.2', n % 2 === 0 ? one : same))).toEqual([
      ...Array<number>(5).fill(401),
      429,
    ]);
    expect(await from('127.0.0.2', other)).toBe(401);
    // The address left of it comes from the client and does not count.
    expect(await from('127.0.0.2', `192.0.2.1:80, ${one}`)).toBe(429);
  });

  it('counts by the address of the proxy if the forwarded one is invalid', async () => {
    const bad = ['unknown', '_hidden', '203.0.113.300:80', '203.0.113.9:port', '[203.0.113.9]:1', ':80', ''];
    const statuses = [];
    for (const said of bad) statuses.push(await from('127.0.0.9', said));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  it('takes the address from the proxies whose addresses are in TRUST_PROXY, and from nobody else', async () => {
    await service.stop();
    service = await Service.start({ database, env: { ...env, TRUST_PROXY: '127.0.0.2, 127.0.8.0/24' } });
    const client = (n: number) => from(n % 2 === 0 ? '127.0.0.2' : '127.0.8.7', '203.0.113.7, 198.51.100.1');
    expect(await repeatedly(7, client)).toEqual([401, 401, 401, 401, 401, 429, 429]);
    // One trusted proxy names another one, with its port.
    expect(await from('127.0.0.2', '198.51.100.1:4711, 127.0.8.9:4712')).toBe(429);
    const forged = (n: number) => from('127.0.0.3', `198.51.100.${String(n)}`);
    expect(await repeatedly(7, forged)).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });
});

describe('limits shared by Redis', () => {
  let redis: Redis;
  /** One per replica, so that the replicas share only Redis. */
  let databases: TestDatabase[];
  let replicas: Service[];

  beforeAll(async () => {
    redis = await Redis.start();
    databases = [await createSqliteDatabase(), await createSqliteDatabase()];
    const env = { RATE_LIMIT_PER_MINUTE: '20', AUTH_FAILURES_PER_MINUTE: String(LIMIT), REDIS_URL: redis.url };
    replicas = await Promise.all(databases.map((database) => Service.start({ database, env })));
  });

  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.stop();
    await Promise.all(databases.map((database) => database.drop()));
  });

  /** A function that sends a request of one client to either replica. */
  async function clientOf(name: string): Promise<(replica: number) => Promise<Answer>> {
    const keys = await Promise.all(databases.map((database) => storeKey(database, { client: name })));
    const clients = replicas.map(({ url }, n) => new HttpClient(url, keys[n]));
    return (replica) => clients[replica % 2]!.get('/v1/pets');
  }

  /** Waits until both replicas count in Redis: each counts alone until Redis has counted for it once. */
  async function untilTogether(): Promise<void> {
    for (let name = 0; ; name += 1) {
      const ask = await clientOf(`together ${process.hrtime.bigint()} ${name}`);
      if (remaining(await ask(0)) === 19 && remaining(await ask(1)) === 18) return;
      await sleep(100);
    }
  }

  it('are counted once for all replicas', async () => {
    await untilTogether();
    const ask = await clientOf('acme');
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => ask(n)));
    const allowed = answers.filter(({ status }) => status === 200);
    expect(allowed.map(remaining).sort((a, b) => b - a)).toEqual(Array.from({ length: 20 }, (_, n) => 19 - n));
    for (const limited of answers.filter(({ status }) => status !== 200)) expectLimited(limited);

    const guesses: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      guesses.push((await new HttpClient(replicas[n % 2]!.url, 'wrong').get('/v1/pets')).status);
    }
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
  });

  it.each([
    ['dies', () => redis.kill(), () => redis.launch()],
    ['hangs', async () => redis.pause(), async () => redis.resume()],
    [
      'is a replica (READONLY)',
      () => redis.command(['REPLICAOF', '127.0.0.1', '1']),
      () => redis.command(['REPLICAOF', 'NO', 'ONE']),
    ],
    [
      'is full (OOM)',
      () => redis.command(['CONFIG', 'SET', 'maxmemory', '1']),
      () => redis.command(['CONFIG', 'SET', 'maxmemory', '0']),
    ],
    [
      'cannot save (MISCONF)',
      () =>
        redis.command(
          ['CONFIG', 'SET', 'dir', '/proc'],
          ['CONFIG', 'SET', 'save', '1 1'],
          ['SET', 'unsaved', '1'],
          ['BGSAVE'],
        ),
      () => redis.command(['CONFIG', 'SET', 'save', ''], ['CONFIG', 'SET', 'stop-writes-on-bgsave-error', 'no']),
    ],
    [
      'lets its account only read (NOPERM)',
      () => redis.command(['ACL', 'SETUSER', 'default', '-@write']),
      () => redis.command(['ACL', 'SETUSER', 'default', '+@all']),
    ],
  ])(
    'are counted by each replica alone while Redis %s, together again after: one line each',
    async (what, lose, regain) => {
      await untilTogether();
      const ask = await clientOf(`client of a Redis that ${what}`);
      const before = replicas.map((replica) => replica.log.length);
      const changes = (replica: number): unknown[] =>
        events(replicas[replica]!, 'limits.local', 'limits.shared')
          .filter((line) => replicas[replica]!.log.indexOf(line) >= before[replica]!)
          .map(({ event }) => event);
      const until = async (...expected: string[]): Promise<void> => {
        while (changes(0).length < expected.length || changes(1).length < expected.length) await sleep(50);
        expect([changes(0), changes(1)]).toStrictEqual([expected, expected]);
      };

      expect([remaining(await ask(0)), remaining(await ask(1))]).toEqual([19, 18]);
      await lose();
      for (let n = 0; n < 6; n += 1) expect((await ask(n)).status).toBe(200);
      await until('limits.local');
      // Longer than the pause between two connection attempts.
      await sleep(2500);
      await until('limits.local');
      const alone = [remaining(await ask(0)), remaining(await ask(1))];
      expect([remaining(await ask(0)), remaining(await ask(1))]).toEqual(alone.map((left) => left - 1));
      await regain();
      await until('limits.local', 'limits.shared');
      const first = remaining(await ask(0));
      expect([remaining(await ask(1)), remaining(await ask(0))]).toEqual([first - 1, first - 2]);
      // No further event may follow.
      await sleep(500);
      await until('limits.local', 'limits.shared');
      for (const [replica, { log }] of replicas.entries()) {
        const changes = events(replicas[replica]!, 'limits.local', 'limits.shared');
        const [lost, back] = changes.filter((line) => log.indexOf(line) >= before[replica]!);
        const host = new URL(redis.url).host;
        expect(lost).toMatchObject({
          host,
          since: expect.stringMatching(/^20.*Z$/),
          msg: expect.stringMatching(/Check/),
        });
        expect(back).toMatchObject({ host, since: expect.stringMatching(/^20.*Z$/), seconds: expect.any(Number) });
      }
    },
  );

  it('do not keep a replica from starting without Redis', async () => {
    const database = await createSqliteDatabase();
    const nowhere = { RATE_LIMIT_PER_MINUTE: '20', REDIS_URL: 'redis://127.0.0.1:1' };
    const service = await Service.start({ database, env: nowhere });
    const client = new HttpClient(service.url, await storeKey(database));
    expect([remaining(await client.get('/v1/pets')), remaining(await client.get('/v1/pets'))]).toEqual([19, 18]);
    expect(events(service, 'limits.local')).toHaveLength(1);
    await service.stop();
    await database.drop();
  });
});
