import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import mysql from 'mysql2/promise';
import { projectFolder } from '../support/command.js';
import { onEachEngine, onMysql } from '../support/engines.js';
import { buildPackage, runIn, runNodeTests } from '../support/packages.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';

const SERVER = process.env['TEST_MYSQL_ADMIN_URL'] ?? '';

/** The test kit's databases on the server. */
async function databasesOfTests(): Promise<unknown[]> {
  const connection = await mysql.createConnection(SERVER);
  const [rows] = await connection.query("SHOW DATABASES LIKE 'animal\\_store\\_test\\_%'");
  await connection.end();
  return rows as unknown[];
}

onMysql('the tests of the example', () => {
  let folder: string;
  let example: string;

  beforeAll(async () => {
    folder = scratchFolder('example');
    example = await buildPackage('examples/store-orders', folder);
  });

  afterAll(() => removeScratch(folder));

  it('pass there too, and leave nothing', async () => {
    const before = await databasesOfTests();
    expect(await runNodeTests(example, SERVER)).toMatch(/fail 0\n/);
    expect(await databasesOfTests()).toStrictEqual(before);
  });

  it('leave nothing where the application cannot start', async () => {
    const before = await databasesOfTests();
    const start = runScript(
      `await startTestApplication({ features: [{ ...gazette, platform: '^9.0.0' }], server });`,
      SERVER,
    );
    await expect(start).rejects.toThrow('was built for platform ^9.0.0');
    expect(await databasesOfTests()).toStrictEqual(before);
  });
});

onEachEngine('an application under test', ({ name }) => {
  it('has a database of its own, which a reset empties, whatever refers to whatever', async () => {
    const printed = await runScript(
      `// A busy machine may take its time.
       const env = { DATABASE_ACQUIRE_TIMEOUT_MS: '20000', DATABASE_QUERY_TIMEOUT_MS: '20000', REQUEST_DEADLINE_MS: '50000' };
       const start = () => startTestApplication({ features, server, env });
       const [one, other] = [await start(), await start()];
       const seen = [];
       for (const round of [1, 2]) {
         const registered = await one.client.post('/v1/users', { user: { email: 'a@b.example', username: 'ada', password: 'analytical' } });
         const headers = { 'x-session': 'Bearer ' + registered.json().token };
         const article = { title: 'Whales', description: 'd', body: 'b', tagList: ['sea'] };
         const written = await one.client.post('/v1/articles', { article }, { headers });
         const comment = await one.client.post('/v1/articles/whales/comments', { comment: { body: 'So large' } }, { headers });
         seen.push([registered.status, written.status, comment.status, comment.json().comment.id]);
         for (const { client } of [one, other]) seen.push((await client.get('/v1/tags')).text);
         await one.reset();
       }
       await one.stop();
       await other.stop();
       process.stdout.write(JSON.stringify(seen.flat()));`,
      name === 'mysql' ? SERVER : '',
    );
    const once = [201, 201, 201, 1, '{"tags":["sea"]}', '{"tags":[]}'];
    expect(JSON.parse(printed)).toStrictEqual([...once, ...once]);
  });
});

/** Runs a script with the kit, the gazette and the database server in scope. Returns its output. */
function runScript(script: string, server: string): Promise<string> {
  const begin = `
    import './load-typescript.mjs';
    import { startTestApplication } from 'animal-store/testing';
    const found = await import('../extension/ordinary/gazette/gazette.features.ts');
    const features = Object.values(found);
    const [gazette] = features;
    const server = ${JSON.stringify(server)};`;
  const folder = join(projectFolder, 'test/support');
  return runIn(
    folder,
    'env',
    'CHANGED_LINES=../extension/ordinary/gazette/changes.json',
    process.execPath,
    '--input-type=module',
    '-e',
    `${begin}${script}`,
  );
}
