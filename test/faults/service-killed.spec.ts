import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { noteFigure } from '../support/figures.js';
import { HttpClient } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { Service } from '../support/service.js';

const ROUNDS = Number(process.env['FAULT_KILLS'] ?? 2);
const POSTERS = 8;

onEachEngine('a service that is killed while it writes', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let key: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, env: { RATE_LIMIT_PER_MINUTE: '0' } });
    key = await storeKey(database);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** The number of sessions on the database, except this one. */
  async function sessions(): Promise<number> {
    if (engine.name === 'sqlite') return 0;
    const others = 'SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()';
    return (await database.query(others)).length;
  }

  it(
    'loses nothing acknowledged; what is repeated with its Idempotency-Key is there once',
    async () => {
      const client = (): HttpClient => new HttpClient(service.url, key);
      const plain = new Ledger(client, { posters: POSTERS });
      const keyed = new Ledger(client, { posters: POSTERS, keyed: true });
      for (const ledger of [plain, keyed]) ledger.begin();
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all([plain.untilAcknowledged(20), keyed.untilAcknowledged(20)]);
        await sleep(Math.random() * 200);
        await service.kill('SIGKILL');
        const killed = performance.now();
        for (const limit = Date.now() + 60_000; (await sessions()) > 0; await sleep(20)) {
          expect(Date.now()).toBeLessThan(limit);
        }
        noteFigure('the service is killed: its sessions are gone', performance.now() - killed, 5000);
        service = await Service.start({ database, env: { RATE_LIMIT_PER_MINUTE: '0' } }, 60_000);
      }
      await Promise.all([plain.untilAcknowledged(20), keyed.untilAcknowledged(20)]);
      await Promise.all([plain.end(), keyed.end()]);

      const { extras, ...kept } = await plain.audit(database);
      expect(kept).toEqual({ lost: [], doubled: [], denied: [] });
      expect(extras.length).toBeLessThanOrEqual(POSTERS * ROUNDS);
      expect(await keyed.audit(database)).toEqual({ lost: [], doubled: [], denied: [], extras: [] });
      const unfinished = 'SELECT id FROM idempotency_record WHERE answer IS NULL';
      expect(await database.query(unfinished)).toEqual([]);
    },
    60_000 + ROUNDS * 60_000,
  );
});
