import { expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

onEachEngine('a fault that nobody caught', (engine) => {
  it('is logged once; requests in flight are answered, stuck ones are cut off, and SHUTDOWN_DELAY_MS is skipped', async () => {
    const database = await engine.createDatabase();
    const features = ['features/thrower.feature.ts', 'features/sleeper.feature.ts'];
    const env = { SHUTDOWN_DELAY_MS: '60000', SHUTDOWN_TIMEOUT_MS: '60000', REQUEST_DEADLINE_MS: '60000' };
    const service = await Service.start({ database, ...hosting({ features, env }) });
    const client = new HttpClient(service.url, await storeKey(database));
    const stuck = client.get('/v1/naps/endless').catch(() => 'cut off');
    const inFlight = client.get('/v1/throws/slow');
    expect((await client.post('/v1/throws/later/exception', undefined)).status).toBe(201);
    // A further failure during the shutdown changes nothing.
    await client.post('/v1/throws/later/rejection', undefined).catch(() => undefined);
    expect((await inFlight).text).toBe('{"slow":true}');
    expect(await service.exited).toEqual({ code: 1, signal: null });
    expect(await stuck).toBe('cut off');
    expect(service.log.filter(({ level }) => level === 'fatal')).toMatchObject([{ event: 'app.crashed' }]);
    expect(service.log.find(({ event }) => event === 'app.cut_off')).toMatchObject({
      stuck: [{ route: '/v1/naps/endless' }],
    });
    expect(service.log.at(-1)).toMatchObject({ event: 'app.stopped' });
    await database.drop();
  });
});
