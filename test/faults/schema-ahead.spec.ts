import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PATIENT, runCommand } from '../support/command.js';
import { storeKey } from '../support/api-keys.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

/** As in a rollout: the schema of the next release, and replicas of this release, which a rollback starts again. */
onEachEngine('the schema of the release after', (engine) => {
  let database: TestDatabase;
  let key: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
  });

  afterAll(() => database.drop());

  it('is made under load, as the documents ask, without a request that fails', async () => {
    const service = await Service.start({ database, env: PATIENT });
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

  it('is shown by --status and --plan before it is created, and they change nothing', async () => {
    const empty = await engine.createDatabase();
    // SQLite creates its file with the first table.
    await empty.query('CREATE TABLE brief (id INT)');
    await empty.query('DROP TABLE brief');
    const [status, plan] = [
      await runCommand(empty, ['migrate', '--status']),
      await runCommand(empty, ['migrate', '--plan']),
    ];
    expect(status.stdout).toMatch(
      /^(pending {2}\w+ of '[a-z]+'\n)+The schema is behind this build by \d+ migrations: run 'migrate'\.\n$/,
    );
    expect(await empty.query(engine.name === 'mysql' ? 'SHOW TABLES' : 'SELECT name FROM sqlite_master')).toEqual([]);
    // The printed plan is complete: after its statements are run by hand, with the migrator's table, nothing is
    // pending.
    await empty.query('CREATE TABLE migration (id INTEGER PRIMARY KEY, timestamp BIGINT, name VARCHAR(255))');
    if (engine.name === 'mysql') await empty.query('ALTER TABLE migration MODIFY id INT AUTO_INCREMENT');
    const statements = plan.stdout.replace(/^--.*$/gm, '').split(/;\s*$/m);
    for (const statement of statements.filter((text) => text.trim() !== '')) await empty.query(statement);
    expect((await runCommand(empty, ['migrate', '--plan'])).stdout).toBe('-- Nothing is pending.\n');
    const service = await Service.start({ database: empty, env: { MIGRATIONS: 'check' } });
    await service.stop();
    await empty.drop();
  });

  it('lets this release start, which shows nothing of it', async () => {
    await database.query('INSERT INTO migration (timestamp, name) VALUES (?, ?)', [
      4102444800000,
      'AddColor4102444800000',
    ]);
    const message =
      'The schema is ahead of this build by 1 migration, of a newer one or another feature: AddColor4102444800000';
    expect((await runCommand(database, ['migrate'])).stdout).toBe(`${message}; nothing to do.\n`);
    expect((await runCommand(database, ['migrate', '--status'])).stdout).toContain(
      `unknown  AddColor4102444800000\n${message}.\n`,
    );
    const service = await Service.start({ database, env: { MIGRATIONS: 'check' } });
    const client = new HttpClient(service.url, key);
    expect((await client.post('/v1/pets', { name: 'Otso', categoryId: 1 })).status).toBe(201);
    const [pet] = (await client.get('/v1/pets')).json() as object[];
    expect(Object.keys(pet ?? {}).sort()).toEqual(['categoryId', 'id', 'name', 'status']);
    await service.stop();
  });
});
