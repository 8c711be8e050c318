import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { limitDescriptors, openDescriptors, residentBytes } from '../support/process-size.js';
import { exchangeRaw, RawConnection, type RawResponse } from '../support/raw-http.js';
import { Service } from '../support/service.js';

const MIB = 1024 ** 2;
/** With so small a heap, an attack whose memory is not freed ends the process. */
const HEAP = '--max-old-space-size=96';
/** The memory that such a process may use: the heap, code, and buffers outside of the heap. */
const MOST_BYTES = 400 * MIB;
const PET = { name: 'Otso', categoryId: 1 };

/** Shorter than the defaults, so that a test need not wait as long as an attacker. */
const SHORT_TIMEOUTS = { HTTP_HEADERS_TIMEOUT_MS: '1000', HTTP_REQUEST_TIMEOUT_MS: '2000' };

let database: TestDatabase;
let service: Service;
let key: string;

const startOn = (create: () => Promise<TestDatabase>, env: Record<string, string> = {}) => {
  beforeAll(async () => {
    database = await create();
    service = await Service.start({ database, env: { NODE_OPTIONS: HEAP, SHED_LOOP_DELAY_MS: '0', ...env } });
    key = await storeKey(database);
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });
};

const connections = (count: number): Promise<RawConnection[]> =>
  Promise.all(Array.from({ length: count }, () => RawConnection.open(service.url)));

/** Sends the bytes one by one on every connection, until the server has closed all of them. */
async function drip(victims: readonly RawConnection[], bytes: string): Promise<void> {
  const closed = Promise.all(victims.map((victim) => victim.untilClosed()));
  let at = 0;
  const timer = setInterval(() => {
    for (const victim of victims) victim.send(bytes[at % bytes.length]!);
    at += 1;
  }, 50);
  await closed;
  clearInterval(timer);
}

/** The statuses that an honest client gets, one request after another, until `attack` ends. */
async function servedDuring(attack: Promise<unknown>): Promise<Set<number>> {
  const client = new HttpClient(service.url, key);
  const statuses = new Set<number>();
  const over = attack.then(() => true);
  do statuses.add((await client.get('/v1/pets?limit=1')).status);
  while (!(await Promise.race([over, sleep(10, false)])));
  return statuses;
}

const receivedBy = (victims: readonly RawConnection[]): Promise<RawResponse[]> =>
  Promise.all(victims.map((victim) => victim.receive()));

async function poll(condition: () => Promise<boolean> | boolean, limitMs = 10_000): Promise<boolean> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await sleep(50))
    if (await condition()) return true;
  return false;
}

describe('slow clients', () => {
  // Fewer than the slow clients: these must not count as work.
  startOn(createSqliteDatabase, { ...SHORT_TIMEOUTS, SHED_MAX_INFLIGHT: '10' });

  it('get 408 for headers that drip, beside a client that is served', async () => {
    const victims = await connections(100);
    for (const victim of victims) victim.send('GET /v1/pets HTTP/1.1\r\nHost: a\r\n');
    expect(await servedDuring(drip(victims, 'X-Drip: y\r\n'))).toEqual(new Set([200]));
    for (const answer of await receivedBy(victims)) expect(answer).toBeErrorShape(408, 'request_timeout');
    const refused = ['animal_store_connections_refused_total', 'reason="request_timeout"'] as const;
    expect(await metricValue(service.managementUrl, ...refused)).toBe(victims.length);
  });

  it('get 408 for a body that drips, beside a client that is served, and nothing is stored', async () => {
    const victims = await connections(100);
    const head = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json`;
    for (const victim of victims) victim.send(`${head}\r\nContent-Length: 1000\r\n\r\n`);
    expect(await servedDuring(drip(victims, ' '))).toEqual(new Set([200]));
    for (const answer of await receivedBy(victims)) expect(answer).toBeErrorShape(408, 'request_timeout');
    expect(await database.query('SELECT id FROM pet')).toEqual([]);
  });

  it('get 401 without a key before any of their body comes', async () => {
    const victim = await RawConnection.open(service.url);
    victim.send('POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n');
    expect(await victim.receive()).toBeErrorShape(401, 'missing_api_key');
    victim.close();
  });

  it('are closed when they say nothing at all', async () => {
    const victims = await connections(100);
    const closed = await Promise.all(victims.map((victim) => victim.untilClosed()));
    expect(closed).not.toContain(false);
  });
});

describe('floods', () => {
  startOn(createSqliteDatabase);

  const request = (headers: string): string =>
    `GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n${headers}\r\n`;

  it.each([
    ['one huge header', `X-Flood: ${'x'.repeat(MIB)}\r\n`],
    ['a huge header name', `${'x'.repeat(MIB)}: y\r\n`],
    ['very many headers', 'X-Flood: y\r\n'.repeat(50_000)],
    ['very many empty headers', 'a:\r\n'.repeat(4500)],
  ])('of headers get 431: %s', async (_, headers) => {
    const connection = await RawConnection.open(service.url);
    connection.send(request(headers));
    expect(await connection.receive()).toBeErrorShape(431, 'headers_too_large');
    expect(await connection.untilClosed()).toBe(true);
  });

  it('of headers leave no second Authorization unseen behind the others', async () => {
    const answer = await exchangeRaw(service.url, request(`${'a:\r\n'.repeat(900)}Authorization: Bearer other\r\n`));
    expect(answer).toBeErrorShape(401, 'invalid_api_key');
  });

  it('of headers without end take no memory for good', async () => {
    for (let round = 0; round < 5; round++) {
      const victims = await connections(100);
      for (const victim of victims) victim.send(request(`X-Flood: ${'x'.repeat(64 * 1024)}`));
      await Promise.all(victims.map((victim) => victim.untilClosed()));
    }
    expect(residentBytes(service.pid!)).toBeLessThan(MOST_BYTES);
  });

  it('of trailers and chunk extensions are cut off', async () => {
    const chunked = `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    for (const flood of [`0\r\n${'X-Flood: y\r\n'.repeat(50_000)}\r\n`, `1;${'x'.repeat(MIB)}\r\n`]) {
      const connection = await RawConnection.open(service.url);
      connection.send(chunked + flood);
      const { status } = await connection.receive();
      expect([400, 413, 431]).toContain(status);
      expect(await connection.untilClosed()).toBe(true);
    }
  });

  const PIPELINED = 'GET /v1/none HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2000);

  it('of requests on one connection are answered up to a number, in order, and then no more', async () => {
    const connection = await RawConnection.open(service.url);
    connection.send(PIPELINED);
    for (let place = 1; place <= 32; place++) {
      const answer = await connection.receive();
      expect(answer).toBeErrorShape(404, 'route_not_found');
      expect(answer.headers.get('connection')).toBe(place < 32 ? 'keep-alive' : 'close');
    }
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.unread).toBe('');
  });

  it('of requests behind a slow answer are not looked at', async () => {
    const held = await Service.start({
      database,
      ...hosting({ features: ['features/misbehaver.feature.ts'], env: { SHED_LOOP_DELAY_MS: '0' } }),
    });
    const before = residentBytes(held.pid!);
    const connection = await RawConnection.open(held.url);
    connection.send(`GET /v1/misbehaves/hangs HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    for (let packet = 0; packet < 64; packet += 1) {
      connection.send(PIPELINED);
      await sleep(10);
    }
    connection.reset();
    await sleep(1000);
    expect((await new HttpClient(held.managementUrl).get('/livez')).status).toBe(200);
    expect(residentBytes(held.pid!) - before).toBeLessThan(100 * MIB);
    await held.stop();
    const blocks = held.log.filter(({ event, delay_ms: ms }) => event === 'loop.blocked' && Number(ms) > 4000);
    expect(blocks).toStrictEqual([]);
  });

  it('of requests on many connections, read by nobody, take neither memory nor the turn of others', async () => {
    const flood = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        // As on a busy machine: all connections wait before the service handles the first.
        service.signal('SIGSTOP');
        const deaf = await Promise.all(
          Array.from({ length: 100 }, () => RawConnection.open(service.url, { paused: true })),
        );
        for (const connection of deaf) connection.send(PIPELINED);
        await sleep(50);
        service.signal('SIGCONT');
        await sleep(500);
        for (const connection of deaf) connection.reset();
      }
    };
    expect(await servedDuring(flood())).toEqual(new Set([200]));
    expect(residentBytes(service.pid!)).toBeLessThan(MOST_BYTES);
  });
});

describe('bodies', () => {
  startOn(createSqliteDatabase);

  it.each(['gzip', 'br', 'deflate', 'zstd', 'gzip, gzip'])(
    'that are compressed (%s) get 415 unopened',
    async (coding) => {
      const bomb = gzipSync(Buffer.alloc(14 * MIB, ' '), { level: 9 });
      const client = new HttpClient(service.url, key);
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => client.post('/v1/pets', bomb, { headers: { 'content-encoding': coding } })),
      );
      for (const answer of answers) expect(answer).toBeErrorShape(415, 'unsupported_media_type');
      expect(residentBytes(service.pid!)).toBeLessThan(MOST_BYTES);
    },
  );

  const DEPTH = 8000;

  it.each([
    ['arrays', '['.repeat(DEPTH)],
    ['arrays that end', '['.repeat(DEPTH) + ']'.repeat(DEPTH)],
    ['objects', '{"a":'.repeat(DEPTH / 4)],
    ['objects that end', '{"a":'.repeat(DEPTH / 4) + '1' + '}'.repeat(DEPTH / 4)],
    ['a field', `{"name":"a","categoryId":${'['.repeat(DEPTH / 2)}${']'.repeat(DEPTH / 2)}}`],
  ])('that are nested thousands deep get 400: %s', async (_, body) => {
    expect(await new HttpClient(service.url, key).post('/v1/pets', body)).toBeErrorShape(400, 'invalid_json');
  });

  it.each([
    ['an exponent that no memory could hold', '{"name":"a","categoryId":1e999999999}'],
    ['thousands of digits', `{"name":"a","categoryId":${'9'.repeat(16_000)}}`],
  ])('with %s get 400', async (_, body) => {
    expect(await new HttpClient(service.url, key).post('/v1/pets', body)).toBeErrorShape(400, 'invalid_field');
  });
});

onEachEngine('clients that go away', (engine) => {
  const POOL = 2;
  startOn(() => engine.createDatabase(), {
    DATABASE_POOL_SIZE: String(POOL),
    DATABASE_ACQUIRE_TIMEOUT_MS: '5000',
    REQUEST_DEADLINE_MS: '10000',
  });

  const aborted = (body: string, missing: number): string =>
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
    `Idempotency-Key: ${String(Math.random())}\r\nContent-Length: ${String(body.length + missing)}\r\n\r\n${body}`;

  it('a thousand times, in the midst of a body and of an answer, leave nothing behind', async () => {
    const descriptors = openDescriptors(service.pid!);
    for (let round = 0; round < 10; round++) {
      const victims = await connections(100);
      // One half aborts within its body, the other half while its pet is being stored.
      victims.forEach((victim, at) => victim.send(aborted(JSON.stringify(PET), at % 2 === 0 ? 10 : 0)));
      await sleep(20);
      for (const victim of victims) victim.reset();
    }
    const active = (): Promise<number> => metricValue(service.managementUrl, 'http_server_active_requests');
    expect(await poll(async () => (await active()) === 0)).toBe(true);
    expect(await poll(() => openDescriptors(service.pid!) <= descriptors + POOL + 5)).toBe(true);
    const client = new HttpClient(service.url, key);
    // The service first completes what the aborted requests began.
    expect(await poll(async () => (await client.post('/v1/pets', PET)).status === 201)).toBe(true);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(Array.from({ length: POOL }, () => client.post('/v1/pets', PET)));
      expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 201));
    }
  });
});

onEachEngine('a process without file descriptors', (engine) => {
  const LIMIT = 256;
  startOn(() => engine.createDatabase());

  it('goes on serving those it knows, does not end, and recovers', async () => {
    const known = await RawConnection.open(service.url);
    const ask = `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    known.send(ask);
    expect((await known.receive()).status).toBe(200);
    await limitDescriptors(service.pid!, LIMIT);

    const flood = await connections(2 * LIMIT);
    expect(await poll(() => openDescriptors(service.pid!) >= LIMIT - 2)).toBe(true);
    known.send(ask);
    expect((await known.receive()).status).toBe(200);

    for (const connection of flood) connection.reset();
    known.close();
    expect(await poll(() => openDescriptors(service.pid!) < LIMIT / 2)).toBe(true);
    expect((await new HttpClient(service.url, key).post('/v1/pets', PET)).status).toBe(201);
  });
});
