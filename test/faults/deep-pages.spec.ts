import { expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { PATIENT } from '../support/command.js';
import { createMysqlDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { MariaDb } from '../support/mariadb.js';
import { Service } from '../support/service.js';

const PETS = 4000;
/**
 * The index entries that a page of 20 may read, with the service's other reads in that time. Reading the counter itself
 * reads none.
 */
const READ = 300;

// Its own server, since the test counts the reads of the whole server.
onOwnServer('a page deep in a long list', () => {
  it.each(['', '&status=sold'])('reads no more of the table than one at its beginning, with %p', async (filter) => {
    const server = await MariaDb.start();
    const database = await createMysqlDatabase(server.url(), server.adminUrl());
    const service = await Service.start({ database, env: PATIENT });
    const client = new HttpClient(service.url, await storeKey(database));
    const one = `('Rex', 7, 'sold'), ('Otso', 7, 'available')`;
    await database.query(`INSERT INTO pet (name, category_id, status) VALUES ${Array(100).fill(one).join()}`);
    for (let pets = 200; pets < PETS; pets *= 2) {
      await database.query('INSERT INTO pet (name, category_id, status) SELECT name, category_id, status FROM pet');
    }
    await database.query('ANALYZE TABLE pet');
    const reads = async (): Promise<number> => {
      const rows = await database.query("SHOW GLOBAL STATUS LIKE 'Handler\\_%'");
      return rows
        .filter(({ Variable_name: name }) => /^Handler_(read_next|icp_attempts)$/.test(String(name)))
        .reduce((sum, { Value: value }) => sum + Number(value), 0);
    };
    const cursor = Buffer.from(`1:${String(PETS - 100)}:${filter.slice(1)}`).toString('base64url');
    const before = await reads();
    const page = await client.get(`/v1/pets?cursor=${cursor}${filter}`);
    const read = (await reads()) - before;
    expect([page.status, (page.json() as unknown[]).length]).toEqual([200, 20]);
    expect(read).toBeLessThan(READ);
    await service.stop();
    await database.drop();
    await server.stop();
  });
});
