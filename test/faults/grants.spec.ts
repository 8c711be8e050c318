import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import mysql, { type Connection } from 'mysql2/promise';
import { runCommand } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onMysql } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { complaintsIn, Service } from '../support/service.js';

/** The server's errors for a missing privilege: on a table, a column, a database. */
const DENIED = [1142, 1143, 1044];

onMysql('the first installation, by the grants that the command prints before there is a table', (engine) => {
  const suffix = randomBytes(4).toString('hex');
  const owner = { name: `owner_${suffix}`, password: randomBytes(12).toString('hex') };
  const runner = { name: `runner_${suffix}`, password: randomBytes(12).toString('hex') };
  let database: TestDatabase;
  let asOwner: { url: string };
  let asService: { url: string };
  let service: Service;
  let key: string;
  let connection: Connection;

  /** An administrator creates the user and runs the statements that the command prints. */
  async function grant(role: 'owner' | 'service', { name, password }: typeof owner): Promise<void> {
    await database.query(`CREATE USER '${name}'@'%' IDENTIFIED BY '${password}'`);
    const schema = new URL(database.url).pathname.slice(1);
    const { code, stdout, stderr } = await runCommand({ url: 'sqlite::memory:' }, [
      ...['grants', '--role', role, '--user', name, '--database', schema],
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const statement of stdout.split(/;\s*$/m).filter((text) => text.trim() !== ''))
      await database.query(statement);
  }

  function loggedInAs({ name, password }: typeof owner): { url: string } {
    const url = new URL(database.url);
    url.username = name;
    url.password = password;
    return { url: url.href };
  }

  beforeAll(async () => {
    database = await engine.createDatabase();
    [asOwner, asService] = [loggedInAs(owner), loggedInAs(runner)];
    await grant('owner', owner);
    await grant('service', runner);
    // As in a cluster: the replicas start before the Job that migrates, and nobody intervenes later.
    service = Service.launch({ database: asService, env: { MIGRATIONS: 'check' } });
    await service.untilLogged(({ event }) => event === 'db.behind');
    const migrated = await runCommand(asOwner, ['migrate'], { MIGRATIONS: 'check' });
    expect(migrated).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(applying .*\n)+$/) });
    service.url = String((await service.untilLogged(({ event }) => event === 'app.ready'))['url']);
    const made = await runCommand(asOwner, ['keys', 'create', '--name', 'test'], { MIGRATIONS: 'check' });
    key = made.stdout.trim();
    connection = await mysql.createConnection(asService.url);
  });

  afterAll(async () => {
    await connection.end();
    await service.stop();
    for (const { name } of [owner, runner]) await database.query(`DROP USER '${name}'@'%'`);
    await database.drop();
  });

  it('let the service do all that it does, without one complaint', async () => {
    const client = new HttpClient(service.url, key);
    const pet = { name: 'Otso', categoryId: 1 };
    const headers = { 'idempotency-key': 'once' };
    expect((await client.post('/v1/pets', pet, { headers })).status).toBe(201);
    expect((await client.post('/v1/pets', pet, { headers })).headers.get('idempotent-replayed')).toBe('true');
    expect((await client.get('/v1/pets')).json()).toHaveLength(1);
    expect((await client.get('/v1/pets/1')).status).toBe(200);
    const noted = async (): Promise<unknown> =>
      (await database.query('SELECT last_used_day FROM api_key'))[0]?.['last_used_day'];
    for (let tries = 0; tries < 1000 && (await noted()) === null; tries++) await sleep(50);
    expect(await noted()).not.toBeNull();
    const ready = service.log.findIndex(({ event }) => event === 'app.ready');
    expect(complaintsIn(service.log.slice(ready))).toEqual([]);
    const earlier = complaintsIn(service.log.slice(0, ready)).map(({ event }) => event);
    expect([...new Set(earlier)]).toStrictEqual(['db.behind']);
  });

  it.each([
    "UPDATE pet SET name = 'x'",
    'DELETE FROM pet',
    'ALTER TABLE pet ADD COLUMN x INT',
    'DROP TABLE pet',
    'TRUNCATE TABLE pet',
    'CREATE TABLE x (id INT)',
    'CREATE INDEX x ON pet (name)',
    "INSERT INTO api_key (id, client, hash, scopes, created_at) VALUES ('x', 'x', 'x', '*', 0)",
    'UPDATE api_key SET revoked_at = NULL',
    "UPDATE api_key SET scopes = '*'",
    'DELETE FROM api_key',
    'DELETE FROM migration',
    'SELECT User FROM mysql.user',
  ])('keep the user of the service from: %s', async (statement) => {
    const refused = await connection.query(statement).catch((error: unknown) => error as { errno: number });
    expect(DENIED).toContain((refused as { errno: number }).errno);
  });

  it('refuse a changed pet with 1142', async () => {
    await expect(connection.query("UPDATE pet SET name = 'x'")).rejects.toMatchObject({ errno: 1142 });
  });

  it('keep keys from being made with the login of the service, in a plain sentence', async () => {
    const { code, stdout, stderr } = await runCommand(asService, ['keys', 'create', '--name', 'x'], {
      MIGRATIONS: 'check',
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^The database cannot be used: mysql:.* command denied .*\(ER_TABLEACCESS_DENIED_ERROR\)\n$/,
    );
  });

  it('that lack the table of migrations leave the service unready, which says why', async () => {
    const forgetful = { name: `forgetful_${suffix}`, password: randomBytes(12).toString('hex') };
    const schema = new URL(database.url).pathname.slice(1);
    await database.query(`CREATE USER '${forgetful.name}'@'%' IDENTIFIED BY '${forgetful.password}'`);
    await database.query(`GRANT SELECT ON ${schema}.pet TO '${forgetful.name}'@'%'`);
    const unready = Service.launch({ database: loggedInAs(forgetful), env: { MIGRATIONS: 'check' } });
    const line = await unready.untilLogged(({ event }) => event === 'db.unavailable');
    expect(line).toMatchObject({ level: 'warn', part: 'read', err: { code: 'ER_TABLEACCESS_DENIED_ERROR' } });
    await database.query(`GRANT SELECT ON ${schema}.migration TO '${forgetful.name}'@'%'`);
    await unready.untilLogged(({ event }) => event === 'db.recovered');
    await unready.stop();
    await database.query(`DROP USER '${forgetful.name}'@'%'`);
  });

  it('refuse another password, in one line without the password', async () => {
    const guessed = loggedInAs({ ...owner, password: 'guessed' });
    const { code, stdout, stderr } = await runCommand(guessed, ['migrate']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^The database cannot be used: mysql:.* Access denied .*\(ER_ACCESS_DENIED_ERROR\)\n$/);
    expect(stderr).not.toContain('guessed');
  });

  it('let the owner change tables, of this database alone', async () => {
    const migrator = await mysql.createConnection(asOwner.url);
    await migrator.query('CREATE TABLE later (id BIGINT PRIMARY KEY)');
    await migrator.query('ALTER TABLE later ADD COLUMN x INT');
    await migrator.query('DROP TABLE later');
    await expect(migrator.query('CREATE DATABASE elsewhere')).rejects.toMatchObject({ errno: 1044 });
    await migrator.end();
  });
});
