import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { runCommand } from '../support/command.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { noteFigure } from '../support/figures.js';
import { HttpClient } from '../support/http.js';
import { Ledger } from '../support/ledger.js';
import { askOnConnections } from '../support/many-connections.js';
import { MariaDb } from '../support/mariadb.js';
import { Probes } from '../support/probes.js';
import { Service } from '../support/service.js';

onOwnServer('a writer that becomes read-only, and another that takes over', () => {
  let servers: readonly MariaDb[];
  let databases: readonly TestDatabase[];
  let proxy: FaultyProxy;
  let service: Service;
  let probes: Probes;
  let client: HttpClient;

  beforeAll(async () => {
    servers = await Promise.all([MariaDb.start(), MariaDb.start()]);
    databases = await Promise.all(servers.map((server) => createMysqlDatabase(server.url(), server.adminUrl())));
    const [old, next] = databases as [TestDatabase, TestDatabase];
    // The proxy leads to either server, as a cluster's writer name does, so both need the same database.
    const name = new URL(old.url).pathname.slice(1);
    await next.query(`CREATE DATABASE ${name}`);
    proxy = await FaultyProxy.listen(servers[0]!.port);
    const url = proxy.through(old.url);
    service = await Service.start({ database: { url }, env: { RATE_LIMIT_PER_MINUTE: '0' } });
    expect((await runCommand({ url: proxyless(url, servers[1]!.port) }, ['migrate'])).code).toBe(0);
    const key = await storeKey(old);
    const [row] = await old.query('SELECT * FROM api_key');
    const columns = Object.keys(row!);
    const marks = columns.map(() => '?').join(', ');
    await next.query(`INSERT INTO ${name}.api_key (${columns.join(', ')}) VALUES (${marks})`, Object.values(row!));
    await next.query(`USE ${name}`);
    client = new HttpClient(service.url, key);
    probes = new Probes(service.managementUrl);
  });

  afterAll(async () => {
    await probes.stop();
    await service.stop();
    await proxy.stop();
    await Promise.all(servers.map((server) => server.stop()));
  });

  it('is left by every connection at the first refused write; the next good write is on the new writer', async () => {
    const [old, next] = databases as [TestDatabase, TestDatabase];
    const ledger = new Ledger(() => client, { posters: 8 });
    ledger.begin();
    await ledger.untilAcknowledged(50);
    // Several at once, so that there are more connections than the writer's own.
    await Promise.all(askOnConnections(client, 8));
    await old.query('SET GLOBAL read_only = 1');
    const line = await service.untilLogged(({ event, part }) => event === 'db.unavailable' && part === 'write');
    expect(line).toMatchObject({ level: 'warn', err: { code: 'ER_OPTION_PREVENTS_STATEMENT', errno: 1290 } });
    // The open connections are closed, and reads continue.
    expect((await client.get('/v1/pets?limit=1')).status).toBe(200);
    const beforeSwitch = ledger.acknowledged;
    proxy.repoint(servers[1]!.port);
    const switched = performance.now();
    await ledger.untilAcknowledged(1, 10_000);
    noteFigure('the name leads to another writer: first 201', performance.now() - switched, 2000);
    await ledger.untilAcknowledged(50, 10_000);
    await ledger.end();

    const [before, after] = [await ledger.audit(old), await ledger.audit(next)];
    // Each acknowledged pet is on the server that was the writer at the time. Together the two have all.
    expect(before.lost.filter((name) => after.lost.includes(name))).toEqual([]);
    expect(ledger.acknowledged).toBeGreaterThanOrEqual(beforeSwitch + 50);
    for (const { doubled, denied } of [before, after]) expect([doubled, denied]).toEqual([[], []]);
    expect([201, 503]).toEqual(expect.arrayContaining([...ledger.statuses.keys()]));
    for (const answer of ledger.answers) expect(answer).toBeErrorShape(503, 'service_unavailable');
    await service.untilLogged(({ event, part }) => event === 'db.recovered' && part === 'write');
    expect(probes.deaths).toEqual([]);
    const lines = service.log.filter(({ event }) => event === 'db.unavailable');
    expect(lines.filter(({ part }) => part === 'write')).toEqual([line]);
  });
});

function proxyless(url: string, port: number): string {
  const direct = new URL(url);
  direct.port = String(port);
  return direct.href;
}
