import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeKey } from '../support/api-keys.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { noteFigure } from '../support/figures.js';
import { HttpClient } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { MariaDb } from '../support/mariadb.js';
import { Probes } from '../support/probes.js';
import { Service } from '../support/service.js';

/** How many times the server is killed. */
const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);
/** Milliseconds until the server is started again. */
const AWAY_MS = 3000;
const POSTERS = 32;

onOwnServer('a database server that goes and comes back', () => {
  let server: MariaDb;
  let database: TestDatabase;
  let service: Service;
  let probes: Probes;
  let client: HttpClient;

  beforeAll(async () => {
    server = await MariaDb.start();
    database = await createMysqlDatabase(server.url(), server.adminUrl());
    // A refused ledger repeats its requests faster than the limit of one client allows.
    service = await Service.start({ database, env: { RATE_LIMIT_PER_MINUTE: '0' } });
    client = new HttpClient(service.url, await storeKey(database));
    probes = new Probes(service.managementUrl);
  });

  afterAll(async () => {
    await probes.stop();
    await service.stop();
    await database.drop();
    await server.stop();
  });

  it.each(['kill', 'shutDown'] as const)(
    'loses nothing acknowledged by %s under load; the same process serves again as soon as the server does',
    async (end) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const ledger = new Ledger(() => client, { posters: POSTERS });
        ledger.begin();
        await ledger.untilAcknowledged(200);
        await server[end]();
        await probes.until(false, 60_000);
        await sleep(AWAY_MS);
        const accepts = server.launch().then(() => performance.now());
        const ready = accepts.then(() => probes.until(true, 60_000));
        await ledger.untilAcknowledged(1);
        noteFigure('the database is back: first 201', Math.max(0, performance.now() - (await accepts)), 3000);
        noteFigure('the database is back: ready', await ready, 5000);
        await ledger.untilAcknowledged(200);
        await ledger.end();

        const { lost, doubled, denied, extras } = await ledger.audit(database);
        expect({ lost, doubled, denied }).toEqual({ lost: [], doubled: [], denied: [] });
        expect(extras.length).toBeLessThanOrEqual(POSTERS);
        expect([...ledger.statuses.keys()].sort()).toEqual([201, 503]);
        for (const answer of ledger.answers) {
          expect(answer).toBeErrorShape(503, 'service_unavailable');
          expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
        }
        const refusals = service.log.filter(({ code, aborted }) => code === 'service_unavailable' && aborted !== true);
        expect(refusals.length).toBeGreaterThan(0);
        expect(refusals.filter(({ cause }) => typeof cause !== 'string')).toStrictEqual([]);
      }
      expect(probes.deaths).toEqual([]);
    },
    60_000 + ROUNDS * (AWAY_MS + 30_000),
  );
});
