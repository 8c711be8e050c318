import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onMysql } from '../support/engines.js';
import { FaultyProxy, type StatementFault } from '../support/faulty-proxy.js';
import { type Answer, HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

const REPEATS = Number(process.env['FAULT_REPEATS'] ?? 12);
const LIMIT_MS = 30_000 + REPEATS * 500;
const INSERT = /^INSERT INTO `pet`/;
const COMMIT = /^COMMIT$/;

onMysql('an insert whose fate is not known', (engine) => {
  let database: TestDatabase;
  let proxy: FaultyProxy;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    proxy = await FaultyProxy.listen(Number(new URL(database.url).port));
    service = await Service.start({
      database: { url: proxy.through(database.url) },
      env: { RATE_LIMIT_PER_MINUTE: '0' },
    });
    client = new HttpClient(service.url, await storeKey(database));
    // The first request opens a connection and sets up its session.
    expect((await client.get('/v1/pets')).status).toBe(200);
  });

  afterAll(async () => {
    await service.stop();
    await proxy.stop();
    await database.drop();
  });

  beforeEach(() => {
    proxy.spare();
  });

  const post = (name: string, key?: string): Promise<Answer> =>
    client.post('/v1/pets', { name, categoryId: 1 }, key === undefined ? {} : { headers: { 'idempotency-key': key } });
  const idsOf = async (name: string): Promise<unknown[]> =>
    (await database.query('SELECT id FROM pet WHERE name = ?', [name])).map((row) => row['id']);

  function expectUnknown(answer: Answer): void {
    expect(answer).toBeErrorShape(503, 'service_unavailable');
    expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
    expect((answer.json() as { message: string }).message).toMatch(/not known whether.*Idempotency-Key/);
  }

  const keyFor = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '-');

  const lost: StatementFault = { fate: 'reply lost' };
  const halfway: StatementFault = { fate: 'refused', errno: 1180, ran: true };

  describe.each([
    ['the connection is lost after it was sent', lost],
    ['its commit failed halfway (1180)', halfway],
  ])('%s', (what, fault) => {
    it(
      'is reported as unknown, and never repeated by the service',
      async () => {
        for (let n = 0; n < REPEATS; n += 1) {
          const name = `Alone ${what} ${String(n)}`;
          const before = proxy.count(INSERT);
          proxy.spoil(INSERT, fault);
          expectUnknown(await post(name));
          expect(proxy.count(INSERT) - before).toBe(1);
          expect(await idsOf(name)).toHaveLength(1);
        }
      },
      LIMIT_MS,
    );

    it(
      'is done once with an Idempotency-Key, however often the client repeats it',
      async () => {
        for (let n = 0; n < REPEATS; n += 1) {
          const name = `Keyed ${what} ${String(n)}`;
          proxy.spoil(COMMIT, fault);
          expectUnknown(await post(name, keyFor(name)));
          const answers = [await post(name, keyFor(name)), await post(name, keyFor(name))];
          const [id] = await idsOf(name);
          expect(await idsOf(name)).toStrictEqual([id]);
          for (const answer of answers) {
            expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
            expect((answer.json() as { id: number }).id).toBe(Number(id));
          }
        }
      },
      LIMIT_MS,
    );
  });

  it.each([1053, 1180, 1317, 1927, 1969, 3024, 4031])(
    'is reported as unknown however the server ended the connection (%d), for an insert and for a commit, and is done once',
    async (errno) => {
      for (const [statement, key] of [[INSERT], [COMMIT, `cut-off-${String(errno)}`]] as const) {
        const name = `Cut off ${String(errno)} ${String(key)}`;
        const before = proxy.count(INSERT);
        proxy.spoil(statement, { fate: 'refused', errno, ran: true });
        expectUnknown(await post(name, key));
        expect(proxy.count(INSERT) - before).toBe(1);
        expect(await idsOf(name)).toHaveLength(1);
      }
    },
  );

  it('is known after a timeout on a lock (1205): it is tried again outside of a transaction, and not inside', async () => {
    for (const [key, tries, status] of [
      [undefined, 2, 201],
      ['waited', 1, 503],
    ] as const) {
      const name = `Waited ${String(key)}`;
      const before = proxy.count(INSERT);
      proxy.spoil(INSERT, { fate: 'refused', errno: 1205 });
      const answer = await post(name, key);
      expect([answer.status, proxy.count(INSERT) - before]).toEqual([status, tries]);
      expect(await idsOf(name)).toHaveLength(status === 201 ? 1 : 0);
    }
  });

  it('can be repeated if its transaction had not ended, since nothing was done', async () => {
    proxy.spoil(INSERT, lost);
    const answer = await post('Unfinished', 'unfinished');
    expect(answer).toBeErrorShape(503, 'service_unavailable');
    expect((answer.json() as { message: string }).message).not.toMatch(/not known/);
    const again = await post('Unfinished', 'unfinished');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
    expect(await idsOf('Unfinished')).toHaveLength(1);
  });

  it.each([1213, 1047])(
    'is known if the server says that it did nothing (%d): it is tried again, and done once',
    async (errno) => {
      for (const key of [undefined, `again-${String(errno)}`]) {
        const name = `Again ${String(errno)} ${String(key)}`;
        const before = proxy.count(INSERT);
        proxy.spoil(INSERT, { fate: 'refused', errno }, 2);
        expect((await post(name, key)).status).toBe(201);
        expect(proxy.count(INSERT) - before).toBe(3);
        expect(await idsOf(name)).toHaveLength(1);
      }
    },
  );

  it('costs the database a tenth more statements at most, where none succeeds', async () => {
    const before = proxy.count(INSERT);
    proxy.spoil(INSERT, { fate: 'refused', errno: 1047 }, 1_000_000);
    const many = 150;
    for (let n = 0; n < many; n += 1) {
      expect(await post(`Refused ${String(n)}`)).toBeErrorShape(503, 'service_unavailable');
    }
    // The budget of retries starts with 10 saved up. In a longer outage their share becomes ever smaller.
    expect(proxy.count(INSERT) - before).toBeLessThanOrEqual(many * 1.1);
  });
});
