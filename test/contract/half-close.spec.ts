import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { metricValue } from '../support/metrics.js';
import { RawConnection } from '../support/raw-http.js';
import { serveOn } from '../support/served.js';
import { Service } from '../support/service.js';

const ROUNDS = 10;

onEachEngine('a client that closed its sending side (RFC 9112, section 9.6)', (engine) => {
  const served = serveOn(engine);

  const post = (name: string): Buffer =>
    served.bytes('POST /v1/pets', { body: JSON.stringify({ name, categoryId: 1 }) });

  async function untilIdle(): Promise<void> {
    while ((await metricValue(served.service.managementUrl, 'http_server_active_requests')) > 0) await sleep(10);
  }

  it('gets its answer, the last one of its connection', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [request, status] of [
        [served.bytes('GET /v1/pets?limit=1'), 200],
        [post('Half'), 201],
        [served.bytes('GET /v1/nope'), 404],
        [served.bytes('GET /v1/pets', { key: null }), 401],
        [served.bytes('GET /openapi.json', { key: null }), 200],
      ] as const) {
        const connection = await served.connect();
        connection.send(request);
        connection.end();
        expect((await connection.receive()).status).toBe(status);
        expect(await connection.untilClosed()).toBe(true);
        expect(connection.unread).toBe('');
      }
    }
  });

  it('gets the answers to all that it sent, in their order', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const connection = await served.connect();
      connection.send(Buffer.concat([post('One'), served.bytes('GET /v1/pets?limit=1'), post('Two'), post('Three')]));
      connection.end();
      const answers = [];
      for (let answer = 0; answer < 4; answer += 1) answers.push(await connection.receive());
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 201, 201]);
      expect(await connection.untilClosed()).toBe(true);
    }
  });

  it('gets it on a connection that was used before, and where it closes later than it sends', async () => {
    const connection = await served.connect();
    connection.send(served.bytes('GET /v1/pets?limit=1'));
    expect((await connection.receive()).status).toBe(200);
    connection.send(post('Later'));
    await sleep(1);
    connection.end();
    expect((await connection.receive()).status).toBe(201);
    expect(await connection.untilClosed()).toBe(true);
  });

  it.each(['nothing', 'an answered request'])('is closed at once where it waits for nothing: %s', async (before) => {
    const connection = await served.connect();
    if (before !== 'nothing') {
      connection.send(served.bytes('GET /v1/pets?limit=1'));
      await connection.receive();
    }
    connection.end();
    expect(await connection.untilClosed(3000)).toBe(true);
    expect(connection.unread).toBe('');
  });

  it('is refused where it sent only a part of a body', async () => {
    const connection = await served.connect();
    connection.send(post('Never whole').subarray(0, -3));
    connection.end();
    expect(await connection.receive()).toBeErrorShape(400, 'bad_request');
    expect(await connection.untilClosed()).toBe(true);
  });

  it.each([
    ['no request', 'no request\r\n\r\n'],
    ['a part of a head', 'GET /v1/pe'],
  ])('gets an error for the bytes after its last request, in order: %s', async (_, bytes) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const connection = await served.connect();
      connection.send(Buffer.concat([post('Before'), served.bytes('GET /v1/pets?limit=1'), Buffer.from(bytes)]));
      connection.end();
      for (const status of [201, 200]) {
        const answer = await connection.receive();
        expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'keep-alive']);
      }
      expect(await connection.receive()).toBeErrorShape(400, 'bad_request');
      expect(await connection.untilClosed()).toBe(true);
      expect(connection.unread).toBe('');
    }
  });

  it('gets no error for bytes after an answer that closes the connection', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const connection = await served.connect();
      const headers = ['Connection: close'];
      connection.send(
        Buffer.concat([served.bytes('GET /v1/pets?limit=1', { headers }), Buffer.from('no request\r\n')]),
      );
      connection.end();
      const answer = await connection.receive();
      expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
      expect(await connection.untilClosed()).toBe(true);
      expect(connection.unread).toBe('');
    }
  });

  it.each(['close', 'reset'] as const)('leaves nothing behind once it is gone altogether: %s', async (go) => {
    const before = await served.countPets();
    for (let round = 0; round < ROUNDS; round += 1) {
      const connection = await served.connect();
      connection.send(Buffer.concat([post('Gone'), served.bytes('GET /v1/pets'), post('Gone too')]));
      if (go === 'close') connection.end();
      connection[go]();
    }
    await untilIdle();
    expect(await served.countPets()).toBeLessThanOrEqual(before + 2n * BigInt(ROUNDS));
    expect((await served.client.get('/v1/pets')).status).toBe(200);
  });

  describe('whose answer takes its time', () => {
    it('gets an error for bytes that came after its request while it waited for the answer', async () => {
      const database = await engine.createDatabase();
      const service = await Service.start({ database, ...hosting({ features: ['features/sleeper.feature.ts'] }) });
      const key = await storeKey(database);
      const connection = await RawConnection.open(service.url);
      connection.send(served.bytes('GET /v1/naps/snores', { key }));
      while (!connection.unread.includes('z')) await sleep(1);
      connection.send('no request\r\n\r\n');
      connection.end();
      const { status, text } = await connection.receive();
      expect([status, text]).toEqual([200, 'zz']);
      expect(await connection.receive()).toBeErrorShape(400, 'bad_request');
      expect(await connection.untilClosed()).toBe(true);
      await service.stop();
      await database.drop();
    });

    it('gets it when the service stops, and keeps nobody waiting after that', async () => {
      const env = { SHUTDOWN_DELAY_MS: '0', SHUTDOWN_TIMEOUT_MS: '10000' };
      const database = await engine.createDatabase();
      const options = hosting({ features: ['features/sleeper.feature.ts'], env });
      const service = await Service.start({ database, ...options });
      const key = await storeKey(database);
      const asleep = async (): Promise<RawConnection> => {
        const connection = await RawConnection.open(service.url);
        connection.send(served.bytes('GET /v1/naps', { key }));
        connection.end();
        return connection;
      };
      expect((await (await asleep()).receive()).headers.get('connection')).toBe('close');
      const connection = await asleep();
      while ((await metricValue(service.managementUrl, 'http_server_active_requests')) < 1);
      const stopped = service.stop();
      expect((await connection.receive()).status).toBe(200);
      expect(await connection.untilClosed()).toBe(true);
      expect(await stopped).toEqual({ code: 0, signal: null });
      await database.drop();
    });
  });
});
