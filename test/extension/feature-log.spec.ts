import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

onEachEngine('what a feature says by the Logger of Nest', (engine) => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, ...hosting({ features: ['features/night-watch.feature.ts'] }) });
    await new HttpClient(service.url, await storeKey(database)).get('/v1/nights');
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const night = { feature: 'night-watch' };

  it.each([
    ['a job', 'The night is quiet', { ...night, level: 'info', context: 'NightJob' }],
    ['a job, by an error', 'The lamp is out', { ...night, level: 'error', err: { message: 'The lamp is out' } }],
    ['a job, by the log of the service', 'It is written by the service’s own log', { ...night, level: 'info' }],
    ['a job of @Cron()', 'The bell rings', { ...night, level: 'info', context: 'NightSchedule' }],
    ['a job of @Interval(), by its file', 'A patrol goes round', { ...night, level: 'info', context: 'rounds' }],
    ['a subscriber', 'A patrol is written down', { ...night, level: 'info', context: 'PatrolSubscriber' }],
    ['a subscriber, by its file', 'A patrol is written down once more', { ...night, context: 'patrols' }],
    ['a middleware', 'Somebody passes', { ...night, request_id: expect.any(String) }],
    ['a handler', 'Nights are listed', { ...night, context: 'NightsController', nights: 1 }],
  ])('is in the log, with the feature: %s', async (_who, message, line) => {
    expect(await service.untilLogged(({ msg }) => msg === message)).toMatchObject(line);
  });

  it('has the fields of an object as fields', async () => {
    const line = await service.untilLogged(({ event }) => event === 'night.counted');
    expect(line).toMatchObject({ ...night, owls: 2 });
  });

  it('does not change the lines of the platform', async () => {
    expect(await service.untilLogged(({ event }) => event === 'app.ready')).not.toHaveProperty('feature');
  });
});
