import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

/** As a rollout has it: the schema of the next release, and replicas of this one, which a rollback starts again. */
onEachEngine('the schema of the release after', (engine) => {
  let database: TestDatabase;
  let key: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
  });

  afterAll(() => database.drop());

  it('is made under load, as the documents ask, without a request that fails', async () => {
    const service = await Service.start({ database });
    key = await storeKey(database);
    const client = new HttpClient(service.url, key);
    const statuses: number[] = [];
    let done = false;
    const post = async (): Promise<void> => {
      while (!done) statuses.push((await client.post('/v1/pets', { name: 'Rex', categoryId: 1 })).status);
    };
    const load = [post(), post(), post(), post()];
    const untilAnswered = async (more: number): Promise<void> => {
      for (const goal = statuses.length + more; statuses.length < goal; await sleep(5));
    };
    await untilAnswered(20);
    await database.query(
      `ALTER TABLE pet ADD COLUMN color VARCHAR(20) NULL${engine.name === 'mysql' ? ', ALGORITHM=INSTANT' : ''}`,
    );
    await untilAnswered(20);
    done = true;
    await Promise.all(load);
    expect(statuses.filter((status) => status !== 201)).toEqual([]);
    await service.stop();
  });

  it('is good enough for a start of this one, which shows nothing of it', async () => {
    await database.query('INSERT INTO migration (timestamp, name) VALUES (?, ?)', [
      4102444800000,
      'AddColor4102444800000',
    ]);
    const service = await Service.start({ database, env: { MIGRATIONS: 'check' } });
    const client = new HttpClient(service.url, key);
    expect((await client.post('/v1/pets', { name: 'Otso', categoryId: 1 })).status).toBe(201);
    const [pet] = (await client.get('/v1/pets')).json() as object[];
    expect(Object.keys(pet ?? {}).sort()).toEqual(['categoryId', 'id', 'name', 'status']);
    await service.stop();
  });
});
