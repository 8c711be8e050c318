import { expect, it } from '@jest/globals';
import { storeKey } from '../../support/api-keys.js';
import { runCommand } from '../../support/command.js';
import { onEachEngine } from '../../support/engines.js';
import { hosting } from '../../support/hosting.js';
import { HttpClient } from '../../support/http.js';
import { freePort } from '../../support/ports.js';
import { complaintsIn, Service } from '../../support/service.js';

onEachEngine('the hooks and jobs of a feature', (engine) => {
  it('find a database that is there, with its tables: the service waits for it, live and not ready', async () => {
    const database = await engine.createDatabase();
    const [port, managementPort] = [await freePort(), await freePort()];
    const env = { PORT: String(port), MANAGEMENT_PORT: String(managementPort), MIGRATIONS: 'check' };
    const host = hosting({ features: ['features/almanac.feature.ts'], env });
    const service = Service.launch({ database, ...host });
    await service.untilLogged(({ event }) => event === 'db.behind');
    const client = new HttpClient(`http://127.0.0.1:${String(port)}`);
    const probes = new HttpClient(`http://127.0.0.1:${String(managementPort)}`);
    expect((await probes.get('/livez')).status).toBe(200);
    expect((await probes.get('/readyz')).status).toBe(503);
    for (const path of ['/v1/almanac', '/v1/nothing', '/nothing']) {
      const answer = await client.get(path);
      expect(answer).toBeErrorShape(503, 'service_unavailable');
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    expect((await client.get('/openapi.json')).status).toBe(200);
    expect(service.log.filter(({ event }) => event === 'almanac.noted')).toStrictEqual([]);

    expect((await runCommand(database, ['migrate'], host.env, host.program)).code).toBe(0);
    await service.untilLogged(({ event }) => event === 'app.ready');
    await service.untilLogged(({ event, name }) => event === 'almanac.noted' && name === 'tick');
    const noted = service.log.filter(({ event }) => event === 'almanac.noted');
    expect(noted.map(({ name, feature }) => [name, feature])).toStrictEqual([
      ['init', 'almanac'],
      ['bootstrap', 'almanac'],
      ['tick', 'almanac'],
    ]);
    const own = new HttpClient(`http://127.0.0.1:${String(port)}`, await storeKey(database));
    expect((await own.get('/v1/almanac')).json()).toStrictEqual(['init', 'bootstrap', 'tick']);
    expect(complaintsIn(service.log).filter(({ feature }) => feature === 'almanac')).toStrictEqual([]);
    expect(await service.stop()).toStrictEqual({ code: 0, signal: null });
    await database.drop();
  });
});
