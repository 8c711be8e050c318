import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { PATIENT } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { Service } from '../support/service.js';

onEachEngine('a feature that binds what no column stores', (engine) => {
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({
      database,
      ...hosting({ features: ['features/careless.feature.ts'], env: PATIENT }),
    });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it.each(['undefined', 'array', 'nan'])('(%s) is at fault itself, by name; the database is not', async (what) => {
    const client = new HttpClient(service.url, await storeKey(database));
    const before = await metricValue(service.managementUrl, 'animal_store_feature_faults_total', 'feature="slips"');
    expect(await client.post(`/v1/slips/${what}`, undefined)).toBeErrorShape(500, 'internal_error');
    const line = await service.untilLogged(({ level }) => level === 'error');
    expect(JSON.stringify(line)).toMatch(/Value 3 of a statement \(INSERT pet\) is /);
    expect(service.output).not.toContain('canary-4711');
    const faults = await metricValue(service.managementUrl, 'animal_store_feature_faults_total', 'feature="slips"');
    expect(faults).toBe(before + 1);
    expect(service.log.filter(({ event }) => event === 'db.unavailable')).toEqual([]);
    expect(await database.query('SELECT id FROM pet')).toEqual([]);
  });
});
