import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { Service } from '../support/service.js';

describe('metrics of a feature', () => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database, ...hosting({ features: ['features/tea-house.feature.ts'] }) });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const valueOf = (name: string, labels = ''): Promise<number> => metricValue(service.managementUrl, name, labels);

  it('are at /metrics beside those of the platform', async () => {
    await new HttpClient(service.url, await storeKey(database)).get('/v1/tea-house/cup');
    expect(await valueOf('tea_house_cups_total', 'kind="green"')).toBe(1);
    expect(await valueOf('tea_house_wait_seconds_bucket', 'le="60"')).toBe(1);
    expect(await valueOf('tea_house_seats')).toBe(7);
    expect(await valueOf('animal_store_ready')).toBe(1);
  });

  it.each([
    ['throws', 'No tea'],
    ['rejects', 'No milk'],
    ['hangs', 'It did not end within 1500 ms'],
  ])('whose collect %s are logged, and hide no other metric', async (what, message) => {
    const { status, text } = await new HttpClient(service.managementUrl).get('/metrics');
    expect(status).toBe(200);
    expect(text).toContain(`\ntea_house_${what} 0\n`);
    expect(text).toContain('\ntea_house_seats 7\n');
    const line = await service.untilLogged(({ metric }) => metric === `tea_house_${what}`);
    expect(line).toMatchObject({ level: 'error', event: 'metric.failed', feature: 'tea-house', err: { message } });
  });
});
