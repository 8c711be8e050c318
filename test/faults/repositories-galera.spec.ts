import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { GaleraCluster, hasGalera, untilSynced } from '../support/galera.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { expectWhole, LibraryLoad } from '../support/library-load.js';
import type { MariaDb } from '../support/mariadb.js';
import { metricValue } from '../support/metrics.js';
import { Probes } from '../support/probes.js';
import { Service } from '../support/service.js';

/** Milliseconds for which a node is frozen: longer than the other nodes wait for it. */
const FROZEN_MS = 4000;

(hasGalera ? describe : describe.skip)(
  'a feature of ordinary repositories on a cluster that takes writes on every node',
  () => {
    let cluster: GaleraCluster;
    let nodes: readonly [MariaDb, MariaDb, MariaDb];
    let database: TestDatabase;
    let services: readonly [Service, Service];
    let clients: readonly [HttpClient, HttpClient];
    let probes: readonly Probes[];

    beforeAll(async () => {
      cluster = await GaleraCluster.start(3);
      nodes = cluster.nodes as readonly [MariaDb, MariaDb, MariaDb];
      database = await createMysqlDatabase(nodes[0].url(), nodes[0].adminUrl());
      const env = { DATABASE_CAUSAL_READS: 'galera', RATE_LIMIT_PER_MINUTE: '0' };
      const host = hosting({ features: ['features/library.feature.ts'], env });
      const start = (node: MariaDb): Promise<Service> => {
        const url = new URL(database.url);
        url.port = String(node.port);
        return Service.start({ database: { url: url.href }, ...host }, 60_000);
      };
      services = await Promise.all([start(nodes[0]), start(nodes[1])]);
      const key = await storeKey(database);
      clients = [new HttpClient(services[0].url, key), new HttpClient(services[1].url, key)];
      probes = services.map(({ managementUrl }) => new Probes(managementUrl));
    }, 300_000);

    afterAll(async () => {
      await Promise.all(probes.map((probe) => probe.stop()));
      await Promise.all(services.map((service) => service.stop()));
      await cluster.stop();
    });

    it('runs transactions again that two nodes certify against each other, each done once or not at all', async () => {
      const retries = async (): Promise<number> => {
        const metric = 'animal_store_db_retries_total';
        const each = services.map(({ managementUrl }) => metricValue(managementUrl, metric, 'code="1213"'));
        return (await Promise.all(each)).reduce((sum, some) => sum + some);
      };
      const before = await retries();
      for (let round = 0; (await retries()) === before; round += 1) {
        if (round === 100) throw new Error('There was no conflict');
        const moves = clients.flatMap((client) =>
          ['1/2', '2/1'].map((way) => client.post(`/v1/library/moves/${way}`, undefined)),
        );
        for (const { status } of await Promise.all(moves)) expect([201, 503]).toContain(status);
      }
      await expectWhole(database);
    });

    it('a node is killed and another frozen: 503, nothing lost, and nothing by halves', async () => {
      let turn = 0;
      const load = new LibraryLoad(() => clients[(turn = 1 - turn)] ?? clients[0]);
      load.begin();
      await load.untilAcknowledged(20);
      await nodes[2].kill();
      await load.untilAcknowledged(20);
      await cluster.rejoin(nodes[2]);
      nodes[1].pause();
      await probes[1]?.until(false, 60_000);
      await sleep(FROZEN_MS);
      await load.untilAcknowledged(20);
      nodes[1].resume();
      await untilSynced(nodes[1]);
      await probes[1]?.until(true, 60_000);
      await load.untilAcknowledged(20);
      // Three times: when one node is killed, when one is frozen, and when it returns.
      await load.expectKept([database], 3);
      expect(probes.flatMap(({ deaths }) => deaths)).toEqual([]);
    }, 300_000);
  },
);
