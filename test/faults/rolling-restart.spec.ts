import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { onMysql } from '../support/engines.js';
import { noteFigure } from '../support/figures.js';
import { startHaproxy } from '../support/haproxy.js';
import { HttpClient } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { freePort } from '../support/ports.js';
import { Service } from '../support/service.js';

/** How many times each replica is restarted. */
const ROUNDS = Number(process.env['RESTART_ROUNDS'] ?? 1);
/** Milliseconds between two health checks of the balancer. */
const LOOK_MS = 500;

onMysql('restarting three replicas, one after another', (engine) => {
  it(
    'fails no request of those that a balancer passes on, and loses nothing',
    async () => {
      const database = await engine.createDatabase();
      const ports = await Promise.all([1, 2, 3].map(async () => [await freePort(), await freePort()] as const));
      const start = ([port, managementPort]: (typeof ports)[number]): Promise<Service> =>
        Service.start(
          {
            database,
            env: {
              PORT: String(port),
              MANAGEMENT_PORT: String(managementPort),
              SHUTDOWN_DELAY_MS: String(3 * LOOK_MS),
              RATE_LIMIT_PER_MINUTE: '0',
              // A busy machine is slow, which is not what this test is about.
              DATABASE_ACQUIRE_TIMEOUT_MS: '10000',
              DATABASE_QUERY_TIMEOUT_MS: '10000',
              REQUEST_DEADLINE_MS: '20000',
            },
          },
          60_000,
        );
      const replicas = await Promise.all(ports.map(start));
      const servers = ports.map(
        ([port, managementPort], at) =>
          `server replica${String(at)} 127.0.0.1:${String(port)} check port ${String(managementPort)} inter ${String(LOOK_MS)}ms fall 1 rise 1`,
      );
      const haproxy = await startHaproxy(['option httpchk GET /readyz', ...servers]);
      const client = new HttpClient(haproxy.url, await storeKey(database));
      const ledger = new Ledger(() => client, { posters: 16 });
      ledger.begin();
      const begun = performance.now();
      for (let round = 0; round < ROUNDS; round++) {
        for (const [at, port] of ports.entries()) {
          await ledger.untilAcknowledged(100);
          expect(await replicas[at]?.stop()).toEqual({ code: 0, signal: null });
          const stopped = performance.now();
          replicas[at] = await start(port);
          noteFigure('restarted in turn: a replica is back', performance.now() - stopped, 5000);
          // The next replica restarts once the balancer knows that this one is back.
          await sleep(2 * LOOK_MS);
        }
      }
      await ledger.untilAcknowledged(100);
      await ledger.end();
      const seconds = (performance.now() - begun) / 1000;
      noteFigure('restarted in turn: served, none failed', ledger.acknowledged / seconds, undefined, 'per second');
      expect([...ledger.statuses.keys()]).toEqual([201]);
      expect(await ledger.audit(database)).toEqual({ lost: [], doubled: [], denied: [], extras: [] });
      await Promise.all(replicas.map((replica) => replica.stop()));
      await haproxy.stop();
      await database.drop();
    },
    120_000 + ROUNDS * 60_000,
  );
});
