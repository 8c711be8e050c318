import { expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

const LAST_ID = 2n ** 63n - 1n;

onEachEngine('the ids of a table are used up', (engine) => {
  it('which is a full disk to clients: 503 to what is written, of which nothing is done, and reads go on', async () => {
    const database = await engine.createDatabase();
    const service = await Service.start({ database });
    const client = new HttpClient(service.url, await storeKey(database));
    const post = (name: string) => client.post('/v1/pets', { name, categoryId: 1 });
    const last = "INSERT INTO pet (id, name, category_id, status) VALUES (?, 'Last but one', 1, 'available')";
    await database.query(last, [String(LAST_ID - 1n)]);
    expect((await post('Last')).text).toBe(`{"id":${LAST_ID},"name":"Last","categoryId":1,"status":"available"}`);

    for (let n = 0; n < 4; n += 1) {
      const refused = await post('Too late');
      expect(refused).toBeErrorShape(503, 'service_unavailable');
      expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/);
      expect((refused.json() as { message: string }).message).not.toMatch(/not known/);
    }
    expect(await database.query('SELECT name FROM pet ORDER BY id')).toEqual([
      { name: 'Last but one' },
      { name: 'Last' },
    ]);
    expect((await client.get(`/v1/pets/${LAST_ID}`)).status).toBe(200);
    expect((await client.get('/v1/pets')).status).toBe(200);
    expect((await new HttpClient(service.managementUrl).get('/readyz')).status).toBe(200);
    const lines = service.log.filter(({ event }) => event === 'db.unavailable');
    const code = expect.stringMatching(/^(SQLITE_FULL|HA_ERR_AUTOINC_ERANGE|ER_AUTOINC_READ_FAILED)$/);
    expect(lines).toMatchObject([{ level: 'warn', part: 'write', err: { code } }]);
    await service.stop();
    await database.drop();
  });
});
