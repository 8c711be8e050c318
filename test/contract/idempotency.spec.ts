import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { type Answer, HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

const features = ['features/tasks.feature.ts'];
/**
 * Some of this work takes longer than a client usually waits. A busy machine is not the subject of these tests. The
 * time zone must not change what is stored.
 */
const env = { REQUEST_DEADLINE_MS: '20000', SHED_LOOP_DELAY_MS: '0', TZ: 'Pacific/Auckland' };
const host = hosting({ features, env });

/** Repeats a request after 503, as a client that keeps its key does. A busy service answers with 503. */
async function untilServed(send: () => Promise<Answer>): Promise<Answer> {
  for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
    const answer = await send();
    // 409: the first request with this key takes longer than the 2 s that a repeat waits.
    if ((answer.status !== 503 && answer.status !== 409) || Date.now() > deadline) return answer;
  }
}

onEachEngine('Idempotency-Key', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let apiKey: string;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, ...host });
    apiKey = await storeKey(database, { client: 'acme' });
    client = new HttpClient(service.url, apiKey);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const keyed = (key: string, body: unknown, by = client, path = '/v1/pets'): Promise<Answer> =>
    by.post(path, body, { headers: { 'idempotency-key': key } });
  const pet = (name: string) => ({ name, categoryId: 7 });
  const petsCalled = async (name: string) =>
    (await database.query('SELECT COUNT(*) AS many FROM pet WHERE name = ?', [name]))[0]?.['many'];
  const tasksCalled = async (name: string) =>
    (await database.query('SELECT COUNT(*) AS many FROM task WHERE name = ?', [name]))[0]?.['many'];
  const records = async () => (await database.query('SELECT COUNT(*) AS many FROM idempotency_record'))[0]?.['many'];

  function expectReplay(again: Answer, first: Answer): void {
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
  }

  describe('the key', () => {
    it.each([
      'a',
      'x'.repeat(255),
      `"${'y'.repeat(255)}"`,
      '!~',
      '8e03978e-40d5-43dd-bc93-6894a57f9324',
      `it's`,
      'a"b',
    ])('may be %s', async (key) => {
      const name = `key ${key.slice(0, 20)}`;
      expect((await keyed(key, pet(name))).status).toBe(201);
      expect((await keyed(key, pet(name))).headers.get('idempotent-replayed')).toBe('true');
    });

    it('means the same bare and quoted', async () => {
      const first = await keyed('bare', pet('Bare'));
      expectReplay(await keyed('"bare"', pet('Bare')), first);
    });

    it.each([
      '',
      ' ',
      '""',
      '"',
      'a b',
      '"a b"',
      '"a',
      '"a"b"',
      'x'.repeat(256),
      `"${'x'.repeat(256)}"`,
      'caf\u{E9}',
      'a\u{A0}',
      '\u{A0}a',
      'a\tb',
    ])('may not be %p', async (key) => {
      expect(await keyed(key, pet('Refused'))).toBeErrorShape(400, 'invalid_idempotency_key');
      expect(await petsCalled('Refused')).toBe(0n);
    });

    it('may not be given twice', async () => {
      const answer = await client.post('/v1/pets', pet('Refused'), { headers: { 'idempotency-key': ['a1', 'a2'] } });
      expect(answer).toBeErrorShape(400, 'invalid_idempotency_key');
    });

    it('has no effect on other operations', async () => {
      expect((await client.get('/v1/pets', { headers: { 'idempotency-key': 'a b' } })).status).toBe(200);
    });
  });

  describe('a repeat', () => {
    it('gets status, body and Location of the first, marked, and makes nothing', async () => {
      const first = await keyed('repeat', pet('Lumi'));
      expect(first.status).toBe(201);
      expect(first.headers.get('location')).toMatch(/\/v1\/pets\/\d+$/);
      for (const again of [await keyed('repeat', pet('Lumi')), await keyed('repeat', pet('Lumi'))]) {
        expectReplay(again, first);
        expect(again.headers.get('cache-control')).toBe('no-store');
      }
      expect(await petsCalled('Lumi')).toBe(1n);
    });

    it('may spell the same values in another way', async () => {
      const first = await keyed('spelling', '{"name":"\u{E9}","categoryId":100}');
      expect(first.status).toBe(201);
      for (const body of ['{ "categoryId" : 1e2, "name" : "\\u00e9" }', '{"name":"\\u00E9","categoryId":100.0}\n']) {
        expectReplay(await keyed('spelling', body), first);
      }
    });

    it('is exact in its numbers', async () => {
      const first = await keyed('exact', '{"name":"Exact","categoryId":9007199254740993}');
      expectReplay(await keyed('exact', '{"name":"Exact","categoryId":9007199254740993.0}'), first);
      const near = await keyed('exact', '{"name":"Exact","categoryId":9007199254740992}');
      expect(near).toBeErrorShape(422, 'idempotency_key_reused');
    });

    it('with another body is refused', async () => {
      await keyed('reused', pet('First'));
      for (const body of [
        pet('Second'),
        { ...pet('First'), categoryId: 8 },
        { ...pet('First'), status: 'sold' },
        { ...pet('First'), status: 'available' },
        pet('first'),
      ]) {
        expect(await keyed('reused', body)).toBeErrorShape(422, 'idempotency_key_reused');
      }
      expect(await petsCalled('First')).toBe(1n);
      expect(await petsCalled('Second')).toBe(0n);
    });

    it('with an invalid body gets the error of the body, not of the key', async () => {
      await keyed('faulty', pet('Sound'));
      expect(await keyed('faulty', { name: 'Sound' })).toBeErrorShape(400, 'missing_field');
      expect(await keyed('faulty', '{')).toBeErrorShape(400, 'invalid_json');
      expect((await keyed('faulty', pet('Sound'))).status).toBe(201);
    });
  });

  describe('a failure', () => {
    it('of the client is not remembered', async () => {
      expect(await keyed('mended', { name: 'Mended' })).toBeErrorShape(400, 'missing_field');
      const mended = await keyed('mended', pet('Mended'));
      expect([mended.status, mended.headers.get('idempotent-replayed')]).toEqual([201, null]);
    });

    it('of the handler is not remembered, and leaves nothing', async () => {
      const gamble = () => keyed('gamble', { name: 'Gamble', waitMs: 0 }, client, '/v1/gambles');
      expect(await gamble()).toBeErrorShape(409, 'unlucky');
      expect(await gamble()).toBeErrorShape(409, 'unlucky');
      expect(await tasksCalled('Gamble')).toBe(0n);
      const lucky = await gamble();
      expect([lucky.status, await tasksCalled('Gamble')]).toStrictEqual([201, 1n]);
      expectReplay(await gamble(), lucky);
    });
  });

  describe('the scope of a key', () => {
    it('is one client, with all of its API keys', async () => {
      const first = await keyed('scope', pet('Scope'));
      const sameClient = new HttpClient(service.url, await storeKey(database, { client: 'acme' }));
      const otherClient = new HttpClient(service.url, await storeKey(database, { client: 'other' }));
      expectReplay(await keyed('scope', pet('Scope'), sameClient), first);
      const others = await keyed('scope', pet('Scope'), otherClient);
      expect([others.status, others.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect(await petsCalled('Scope')).toBe(2n);
    });

    it('is one operation', async () => {
      const body = { name: 'Operation', waitMs: 0 };
      const task = await keyed('operation', body, client, '/v1/tasks');
      const chore = await keyed('operation', body, client, '/v1/chores');
      expect([task.json(), chore.json()]).toStrictEqual([body, { name: 'Operation', chore: true }]);
      expectReplay(await keyed('operation', body, client, '/v1/chores'), chore);
    });
  });

  describe('an operation without a body', () => {
    it('is done once, and for one path', async () => {
      const repeat = (name: string) => keyed('again', undefined, client, `/v1/tasks/${name}/repeat`);
      const first = await repeat('Sweep');
      expect([first.status, first.json()]).toStrictEqual([201, { name: 'Sweep', repeated: true }]);
      expectReplay(await repeat('Sweep'), first);
      expect(await tasksCalled('Sweep')).toBe(1n);
      expect(await repeat('Mop')).toBeErrorShape(422, 'idempotency_key_reused');
      expect(await tasksCalled('Mop')).toBe(0n);
    });
  });

  it('goes with a body that no class describes', async () => {
    const first = await keyed('note', [1, 2], client, '/v1/notes');
    expect([first.status, first.json()]).toStrictEqual([201, { note: [1, 2] }]);
    expectReplay(await keyed('note', [1, 2], client, '/v1/notes'), first);
    expect(await keyed('note', [2, 1], client, '/v1/notes')).toBeErrorShape(422, 'idempotency_key_reused');
  });

  describe('at the same time', () => {
    it('50 repeats make one pet', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => untilServed(() => keyed('fifty', pet('Fifty')))),
      );
      expect(new Set(answers.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length).toBeLessThanOrEqual(
        1,
      );
      expect(await petsCalled('Fifty')).toBe(1n);
    });

    it('180 repeats are all answered with the one pet', async () => {
      const answers = await Promise.all(Array.from({ length: 180 }, () => keyed('many', pet('Many'))));
      expect(new Set(answers.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
      expect(answers[0]?.status).toBe(201);
      expect(await petsCalled('Many')).toBe(1n);
    });

    it('50 requests with 10 bodies let one body win', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          untilServed(() => keyed('contested', { name: 'Contested', categoryId: n % 10 })),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array<number>(5).fill(201), ...Array<number>(45).fill(422)]);
      expect(await petsCalled('Contested')).toBe(1n);
    });

    it('a repeat waits for a first that is quick enough', async () => {
      const body = { name: 'Quick', waitMs: 700 };
      const first = keyed('quick', body, client, '/v1/tasks');
      await service.untilLogged(({ event, name }) => event === 'task.written' && name === 'Quick');
      expectReplay(await keyed('quick', body, client, '/v1/tasks'), await first);
    });

    it('a repeat gives up after 2 s on a first that is not, which goes on', async () => {
      const body = { name: 'Slow', waitMs: 3000 };
      const first = keyed('slow', body, client, '/v1/tasks');
      await service.untilLogged(({ event, name }) => event === 'task.written' && name === 'Slow');
      const asked = performance.now();
      const gaveUp = await keyed('slow', body, client, '/v1/tasks');
      // A timer may fire a millisecond early.
      expect(performance.now() - asked).toBeGreaterThan(1990);
      expect(gaveUp).toBeErrorShape(409, 'idempotency_key_in_use');
      expect(gaveUp.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      expect((await first).status).toBe(201);
      expectReplay(await keyed('slow', body, client, '/v1/tasks'), await first);
      expect(await tasksCalled('Slow')).toBe(1n);
    });
  });

  it('a process that is killed between accept and commit leaves neither', async () => {
    const before = await records();
    const body = { name: 'Killed', waitMs: 1000 };
    const killed = keyed('killed', body, client, '/v1/tasks').catch(() => 'cut off');
    await service.untilLogged(({ event, name }) => event === 'task.written' && name === 'Killed');
    await service.kill('SIGKILL');
    expect(await killed).toBe('cut off');
    expect([await tasksCalled('Killed'), await records()]).toStrictEqual([0n, before]);
    service = await Service.start({ database, ...host });
    client = new HttpClient(service.url, apiKey);
    const again = await keyed('killed', body, client, '/v1/tasks');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect([await tasksCalled('Killed'), await records()]).toStrictEqual([1n, (before as bigint) + 1n]);
  });

  // SQLite serves one process only.
  if (engine.name === 'sqlite') return;

  describe('on two replicas of one database', () => {
    let other: Service;
    let second: HttpClient;

    const isWaitingForTable = async (): Promise<boolean> =>
      (await database.query('SHOW PROCESSLIST')).some((row) => /metadata lock/i.test(String(row['State'])));

    beforeAll(async () => {
      other = await Service.start({ database, ...hosting({ features, env: { SHED_LOOP_DELAY_MS: '0' } }) });
      second = new HttpClient(other.url, apiKey);
      // Both services cache the API key, so that only the record is looked up below.
      for (const each of [client, second]) expect((await each.get('/v1/pets')).status).toBe(200);
    });

    afterAll(async () => {
      await other.stop();
    });

    it('50 repeats make one pet', async () => {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          untilServed(() => keyed('both', pet('Both'), n % 2 === 0 ? client : second)),
        ),
      );
      expect(new Set(answers.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(201);
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length).toBeLessThanOrEqual(
        1,
      );
      expect(await petsCalled('Both')).toBe(1n);
    });

    it('180 repeats are all answered with the one pet', async () => {
      const answers = await Promise.all(
        Array.from({ length: 180 }, (_, n) => keyed('many-both', pet('Many both'), n % 2 === 0 ? client : second)),
      );
      expect(new Set(answers.map(({ status, text }) => `${String(status)} ${text}`)).size).toBe(1);
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
      expect(await petsCalled('Many both')).toBe(1n);
    });

    it('no two of a hundred keys make two pets', async () => {
      const names = Array.from({ length: 100 }, (_, n) => `Pair ${n}`);
      const answers = await Promise.all(
        names.flatMap((name) => [
          untilServed(() => keyed(name.replace(' ', '-'), pet(name))),
          untilServed(() => keyed(name.replace(' ', '-'), pet(name), second)),
        ]),
      );
      expect(answers.map(({ status }) => status).filter((status) => status !== 201)).toEqual([]);
      expect(
        await database.query("SELECT name FROM pet WHERE name LIKE 'Pair %' GROUP BY name HAVING COUNT(*) <> 1"),
      ).toEqual([]);
    });

    it('a repeat waits for a first that is quick enough', async () => {
      const body = { name: 'Near', waitMs: 700 };
      const first = keyed('near', body, client, '/v1/tasks');
      await service.untilLogged(({ event, name }) => event === 'task.written' && name === 'Near');
      expectReplay(await keyed('near', body, second, '/v1/tasks'), await first);
    });

    it('a repeat gives up after 2 s on a first that is not, also where a record has expired', async () => {
      await database.query('UPDATE idempotency_record SET expires_at = 1');
      for (const key of ['far', 'near']) {
        const body = { name: `Far ${key}`, waitMs: 3000 };
        const first = keyed(key, body, client, '/v1/tasks');
        await service.untilLogged(({ event, name }) => event === 'task.written' && name === body.name);
        const gaveUp = await keyed(key, body, second, '/v1/tasks');
        expect(gaveUp).toBeErrorShape(409, 'idempotency_key_in_use');
        expect(gaveUp.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
        expect((await first).status).toBe(201);
        expectReplay(await keyed(key, body, second, '/v1/tasks'), await first);
      }
    });

    it('work that is done too late for its own client is there for the repeat', async () => {
      const body = { name: 'Late', waitMs: 3500 };
      expect(await keyed('late', body, second, '/v1/tasks')).toBeErrorShape(503, 'service_unavailable');
      const again = await keyed('late', body, second, '/v1/tasks');
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(await tasksCalled('Late')).toBe(1n);
    });

    it('a replica takes over from one that is killed', async () => {
      const body = { name: 'Taken over', waitMs: 1500 };
      const killed = keyed('taken-over', body, second, '/v1/tasks').catch(() => 'cut off');
      await other.untilLogged(({ event, name }) => event === 'task.written' && name === body.name);
      const waiting = keyed('taken-over', body, client, '/v1/tasks');
      await sleep(300);
      await other.kill('SIGKILL');
      expect(await killed).toBe('cut off');
      const answer = await waiting;
      expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect(await tasksCalled('Taken over')).toBe(1n);
      other = await Service.start({ database, ...host });
      second = new HttpClient(other.url, apiKey);
    });

    it('a process killed while the pet is being written leaves neither', async () => {
      expect((await second.get('/v1/pets')).status).toBe(200);
      const before = await records();
      await database.query('LOCK TABLES pet WRITE');
      const killed = keyed('locked', pet('Locked'), second).catch(() => 'cut off');
      while (!(await isWaitingForTable())) await sleep(10);
      await other.kill('SIGKILL');
      expect(await killed).toBe('cut off');
      await database.query('UNLOCK TABLES');
      expect([await petsCalled('Locked'), await records()]).toStrictEqual([0n, before]);
      const again = await keyed('locked', pet('Locked'));
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
      expect(await petsCalled('Locked')).toBe(1n);
      other = await Service.start({ database, ...host });
    });

    it('a pet that cannot be written is not said to be one in flight', async () => {
      await database.query('LOCK TABLES pet WRITE');
      const refused = await keyed('stuck', pet('Stuck'));
      await database.query('UNLOCK TABLES');
      expect(refused).toBeErrorShape(503, 'service_unavailable');
      expect((await keyed('stuck', pet('Stuck'))).status).toBe(201);
    });
  });
});
