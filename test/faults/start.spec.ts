import { execFile } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inventKey, storeKey } from '../support/api-keys.js';
import { emptyFolder, runCommand } from '../support/command.js';
import { createMysqlDatabase, createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { noteFigure } from '../support/figures.js';
import { hosting } from '../support/hosting.js';
import { type Answer, HttpClient } from '../support/http.js';
import { MariaDb } from '../support/mariadb.js';
import { oldNode } from '../support/old-node.js';
import { freePort } from '../support/ports.js';
import { RawConnection } from '../support/raw-http.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

const run = promisify(execFile);
const PRODUCTION = { NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://pets.test/v1', LOG_FORMAT: undefined };

/** Launches a service on known ports, and waits until it answers /livez. */
async function launchOn(database: { readonly url: string }, env: Record<string, string> = {}) {
  const [port, managementPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), MANAGEMENT_PORT: String(managementPort) };
  const service = Service.launch({ database, env: { ...ports, ...env } });
  const api = `http://127.0.0.1:${String(port)}`;
  const probe = async (path: string): Promise<{ status: number; body: unknown }> => {
    const answer = await new HttpClient(`http://127.0.0.1:${String(managementPort)}`).get(path);
    return { status: answer.status, body: answer.json() };
  };
  await service.untilLogged(({ event }) => event === 'app.starting');
  for (;;) {
    try {
      await probe('/livez');
      return { service, api, probe };
    } catch {
      await sleep(20);
    }
  }
}

/** Waits until /readyz reports exactly these failures, once the background checks have noticed them. */
async function untilChecked(
  probe: (path: string) => Promise<{ status: number; body: unknown }>,
  checks: Record<string, 'ok' | 'failing'>,
  reasons?: Record<string, string>,
): Promise<void> {
  const wanted = { status: 503, body: { status: 'failing', checks, ...(reasons !== undefined && { reasons }) } };
  for (const limit = Date.now() + 60_000; Date.now() < limit; await sleep(50)) {
    if (isDeepStrictEqual(await probe('/readyz'), wanted)) return;
  }
  expect(await probe('/readyz')).toEqual(wanted);
}

function expectNotYet(answer: Answer): void {
  expect(answer).toBeErrorShape(503, 'service_unavailable');
  expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
}

onEachEngine('starting', (engine) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await engine.createDatabase();
  });

  afterAll(() => database.drop());

  it('five processes at once on one empty database all come up, with one schema', async () => {
    const host = hosting({ features: ['features/granary.feature.ts'] });
    const services = await Promise.all(Array.from({ length: 5 }, () => Service.start({ database, ...host }, 60_000)));
    const names = (await database.query('SELECT name FROM migration ORDER BY id')).map((row) => row['name']);
    expect(names.length).toBeGreaterThan(2);
    expect(new Set(names).size).toBe(names.length);
    const applied = services.flatMap(({ log }) => log).filter(({ event }) => event === 'migration.applied');
    expect(applied.map(({ migration }) => migration).sort()).toStrictEqual([...names].sort());
    expect(await database.query('SELECT * FROM migration_lock')).toEqual([]);
    const key = await storeKey(database);
    const clients = services.map(({ url }) => new HttpClient(url, key));
    expect((await clients[0]?.post('/v1/pets', { name: 'Lumi', categoryId: 1 }))?.status).toBe(201);
    for (const client of clients) expect((await client.get('/v1/pets')).json()).toHaveLength(1);
    const exits = await Promise.all(services.map((service) => service.stop()));
    expect(exits).toEqual(services.map(() => ({ code: 0, signal: null })));
    // The database must be open until the last hook of the last feature, and the log until the last line.
    const hooks = ['onModuleDestroy', 'beforeApplicationShutdown', 'onApplicationShutdown'];
    for (const { log } of services) {
      expect(log.filter(({ event }) => event === 'granary.closed').map(({ hook }) => hook)).toStrictEqual(hooks);
      expect(log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
      expect(log.at(-1)).toMatchObject({ event: 'app.stopped' });
    }
  });

  it('behind the schema it only checks: not ready, 503, and ready by itself once it is migrated', async () => {
    const empty = await engine.createDatabase();
    const { service, api, probe } = await launchOn(empty, { MIGRATIONS: 'check' });
    const behind = await service.untilLogged(({ event }) => event === 'db.behind');
    expect(behind).toMatchObject({ level: 'warn', pending: expect.arrayContaining(['CreatePets1764201600000']) });
    await untilChecked(probe, { schema: 'failing', database: 'ok', accepting: 'failing' });
    expect((await probe('/livez')).status).toBe(200);
    expect((await probe('/startupz')).status).toBe(503);
    expectNotYet(await new HttpClient(api, inventKey()).get('/v1/pets'));
    expect(await empty.query(tablesOf(engine.name))).toEqual([]);

    const migrated = await runCommand(empty, ['migrate']);
    expect(migrated.code).toBe(0);
    expect(migrated.stdout).toMatch(/CreatePets1764201600000/);
    await service.untilLogged(({ event }) => event === 'app.ready', 10_000);
    expect((await probe('/readyz')).status).toBe(200);
    const again = await runCommand(empty, ['migrate']);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/nothing to do/) });
    expect((await new HttpClient(api, await storeKey(empty)).get('/v1/pets')).status).toBe(200);
    await service.stop();
    await empty.drop();
  });

  it('a Job migrates with lines of the log, as the service that migrates itself', async () => {
    const empty = await engine.createDatabase();
    const production = { ...PRODUCTION, DATABASE_TLS_MODE: 'disable' };
    const job = await runCommand(empty, ['migrate'], production);
    expect(job).toMatchObject({ code: 0, stdout: '' });
    const lines = job.stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(new Set(lines.map(({ service }) => service))).toEqual(new Set(['animal-store']));
    const applied = lines.filter(({ event }) => event === 'migration.applied').map(({ migration }) => migration);
    expect(applied).toContain('CreatePets1764201600000');
    expect(lines.at(-1)).toMatchObject({ event: 'migration.ended', applied: applied.length, msg: expect.any(String) });
    const status = await runCommand(empty, ['migrate', '--status'], production);
    expect(status).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^applied .*The schema is current/s),
    });
    await empty.drop();
  });

  it('for the first time it shows a person all that is needed; later it creates no second key', async () => {
    const empty = await engine.createDatabase();
    const env = { NODE_ENV: 'development' };
    const first = await Service.start({ database: empty, env });
    while (!/Swagger UI .*\n/.test(first.output)) await sleep(20);
    const curl = /^ +(curl (?:.*\\\n)*.*)$/m.exec(first.output)?.[1] ?? '';
    const pasted = await run('sh', ['-c', `${curl} --silent --show-error --write-out ' %{http_code}'`]);
    expect(pasted.stdout).toBe('{"id":1,"name":"Rex","categoryId":7,"status":"available"} 201');
    for (const address of [/Swagger UI +(http\S+)/, /OpenAPI +(http\S+)/]) {
      const url = new URL(address.exec(first.output)?.[1] ?? '');
      expect((await new HttpClient(url.origin).get(url.pathname)).status).toBe(200);
    }
    // The start's log lines come first, so that a screen of 24 lines ends with this text.
    expect(first.output).toMatch(/"app\.ready"[^]* {2}Animal Store\n[^]*curl [^]*Swagger UI +http\S+\/docs\n/);
    const shown = first.output
      .split('  Animal Store\n')[1]!
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(shown.length).toBeLessThan(22);
    expect(shown.filter((line) => line.length > 80)).toEqual([]);
    expect(first.output.split('  Animal Store\n')[1]).not.toMatch(/"event":"(migration|app|key)\./);
    const key = /bearer (as_test_\w+)/.exec(curl)?.[1] ?? 'none';
    expect(first.output.split(key)).toHaveLength(3);
    await first.stop();

    // A column that somebody added by hand must be neither dropped nor reported.
    await empty.query("ALTER TABLE pet ADD COLUMN note VARCHAR(20) NOT NULL DEFAULT 'kept'");
    const second = await Service.start({ database: empty, env });
    while (!second.output.includes('keys create')) await sleep(20);
    expect(second.output).not.toMatch(/as_test_/);
    const created = await new HttpClient(second.url, key).post('/v1/pets', { name: 'Lumi', categoryId: 1 });
    expect(created.text).toBe('{"id":2,"name":"Lumi","categoryId":1,"status":"available"}');
    expect(await empty.query('SELECT note FROM pet')).toEqual([{ note: 'kept' }, { note: 'kept' }]);
    expect(await empty.query('SELECT id FROM api_key')).toHaveLength(1);
    await second.stop();
    await empty.drop();
  });
});

function tablesOf(engine: string): string {
  return engine === 'mysql'
    ? "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name IN ('pet', 'api_key')"
    : "SELECT name FROM sqlite_master WHERE name IN ('pet', 'api_key')";
}

describe('starting before its database', () => {
  it('it lives, answers 503, and comes up by itself when the server does', async () => {
    const port = await freePort();
    const { service, api, probe } = await launchOn({ url: `mysql://root@127.0.0.1:${String(port)}/store_late` });
    await service.untilLogged(({ event }) => event === 'db.unavailable');
    expect((await probe('/livez')).status).toBe(200);
    const checks = { schema: 'failing', database: 'failing', accepting: 'failing' } as const;
    await untilChecked(probe, checks, { database: 'ECONNREFUSED' });
    expectNotYet(await new HttpClient(api, inventKey()).get('/v1/pets'));
    const server = await MariaDb.start({ port });
    // The server is up, but the database does not exist for a while.
    await sleep(1000);
    expect((await probe('/readyz')).status).toBe(503);
    const admin = await createMysqlDatabase(server.url(), server.adminUrl());
    await admin.query('CREATE DATABASE store_late');
    const appeared = performance.now();
    await service.untilLogged(({ event }) => event === 'app.ready', 15_000);
    noteFigure('the database appears after the service: ready', performance.now() - appeared, 5000);
    expect((await probe('/readyz')).status).toBe(200);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await admin.drop();
    await server.stop();
  });

  it('it tells whether the database answers while its schema is behind', async () => {
    const server = await MariaDb.start();
    const database = await createMysqlDatabase(server.url(), server.adminUrl());
    const { service, probe } = await launchOn(database, { MIGRATIONS: 'check' });
    const behind = { schema: 'failing', accepting: 'failing' } as const;
    await untilChecked(probe, { ...behind, database: 'ok' });
    server.pause();
    await untilChecked(probe, { ...behind, database: 'failing' }, { database: 'timeout' });
    server.resume();
    await untilChecked(probe, { ...behind, database: 'ok' });
    await server.kill();
    await untilChecked(probe, { ...behind, database: 'failing' }, { database: 'ECONNREFUSED' });
    await server.launch();
    await untilChecked(probe, { ...behind, database: 'ok' });
    expect((await runCommand(database, ['migrate'])).code).toBe(0);
    await service.untilLogged(({ event }) => event === 'app.ready', 10_000);
    expect(await probe('/readyz')).toMatchObject({ status: 200 });
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await database.drop();
    await server.stop();
  });

  it('it names the SQLite file that cannot be opened', async () => {
    const { service } = await launchOn({ url: `sqlite:${relative(emptyFolder, import.meta.dirname)}` });
    const line = await service.untilLogged(({ event }) => event === 'db.unavailable');
    expect(line).toMatchObject({ file: import.meta.dirname, err: { code: 'SQLITE_CANTOPEN' } });
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });

  it('it stops at once on SIGTERM, with 0', async () => {
    const { service } = await launchOn({ url: `mysql://root@127.0.0.1:${String(await freePort())}/store_never` });
    await service.untilLogged(({ event }) => event === 'db.unavailable');
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});

describe('a start that cannot be', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createSqliteDatabase();
  });

  afterAll(() => database.drop());

  it('because of its configuration names every fault at once, no value, and exits with 78', async () => {
    const service = Service.launch({
      database: { url: 'postgres://me:hunter2@db/store' },
      env: {
        PORT: '65536',
        LOG_LEVEL: 'loud',
        HTTP_BODY_LIMIT_BYTES: '16k',
        METRICS_ENABLED: 'yes',
        PUBLIC_BASE_URL: 'http://pets.test/v1/',
        TRUST_PROXY: 'everybody',
        RATE_LIMIT_PER_MINUTE: '-1',
        REDIS_URL: 'http://:hunter2@redis',
        API_KEYS_FILE: '/nowhere/keys.json',
        GET_PET_SUNSET: 'soon',
        DATABASE_TLS_CA_FILE_FILE: '/nowhere/ca',
      },
    });
    expect(await service.exited).toEqual({ code: 78, signal: null });
    const [headline, ...faults] = service.output.trim().split('\n');
    expect(headline).toBe('The configuration has 12 faults:');
    expect(faults.map((line) => /^ {2}(\w+): \S/.exec(line)?.[1])).toStrictEqual([
      'LOG_LEVEL',
      'PORT',
      'PUBLIC_BASE_URL',
      'HTTP_BODY_LIMIT_BYTES',
      'TRUST_PROXY',
      'API_KEYS_FILE',
      'RATE_LIMIT_PER_MINUTE',
      'REDIS_URL',
      'DATABASE_URL',
      'DATABASE_TLS_CA_FILE_FILE',
      'METRICS_ENABLED',
      'GET_PET_SUNSET',
    ]);
    expect(service.output).not.toMatch(/hunter2/);
  });

  it('in production says so in one line of the log', async () => {
    const service = Service.launch({ database, env: { NODE_ENV: 'production', PORT: 'x', LOG_FORMAT: undefined } });
    expect(await service.exited).toEqual({ code: 78, signal: null });
    expect(service.output.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(service.output)).toMatchObject({
      level: 'fatal',
      event: 'app.refused',
      msg: expect.stringMatching(/^The configuration has \d faults:\n {2}PORT: /),
    });
  });

  it.each([
    ['migrate', '', 'x'],
    ['migrate', '--status', '0'],
    ['keys', 'list', '0'],
    ['keys', 'nothing', '0'],
    ['migrate', '--undo=nothing', '0'],
  ])('in production the command %s %s with PORT=%s says so in the same way', async (name, argument, PORT) => {
    const env = { ...PRODUCTION, PORT };
    const nowhere = { url: 'mysql://nobody@127.0.0.1:9/none' };
    const { code, stdout, stderr } = await runCommand(nowhere, [name, argument].filter(Boolean), env);
    expect([code === 0, stdout]).toEqual([false, '']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stderr)).toMatchObject({ level: 'fatal', event: 'command.failed', msg: expect.any(String) });
  });

  it('in production a command gives its hints in the same way', async () => {
    const linesOf = ({ stderr }: { stderr: string }): Record<string, unknown>[] =>
      stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const env = { ...PRODUCTION, DATABASE_TLS_MODE: 'disable', MIGRATIONS: 'run', API_KEY_CACHE_TTL_MS: '1500' };
    expect(linesOf(await runCommand(database, ['--port', '4400'], env))).toMatchObject([
      { event: 'command.failed', msg: expect.stringContaining("unknown option '--port'") },
      { level: 'info', event: 'command.hint', msg: expect.stringContaining('PORT=… node dist/main.js') },
    ]);
    expect(await runCommand(database, ['migrate'], env)).toMatchObject({ code: 0 });
    const created = await runCommand(database, ['keys', 'create', '--name', 'hints'], env);
    const key_id = linesOf(created).find(({ event }) => event === 'key.created')?.['key_id'];
    const revoked = linesOf(await runCommand(database, ['keys', 'revoke', String(key_id)], env));
    expect(revoked).toMatchObject([
      { event: 'key.revoked', key_id },
      { event: 'command.hint', msg: `Key ${String(key_id)} is revoked. Every replica refuses it within 1.5 s.` },
    ]);
  });

  it.each(['PORT', 'MANAGEMENT_PORT'])('for a %s that is taken says which, and exits with 1', async (name) => {
    const holder = await Service.start({ database });
    const port = new URL(name === 'PORT' ? holder.url : holder.managementUrl).port;
    const second = Service.launch({ database, env: { [name]: port } });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    const messages = second.output.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
    expect(messages).toHaveLength(1);
    const why = 'another process listens there (EADDRINUSE)';
    expect(messages[0]).toBe(`${name} ${port} on 0.0.0.0 cannot be listened on: ${why}. Set ${name} to another port.`);
    await holder.stop();
  });
});

describe('stopping', () => {
  it('exits with 0 while clients keep their connections, idle, silent and busy', async () => {
    const database = await createSqliteDatabase();
    const service = await Service.start({ database });
    const key = await storeKey(database);
    const request = `GET /v1/pets HTTP/1.1\r\nHost: pets.test\r\nAuthorization: Bearer ${key}\r\n\r\n`;
    const idle = await RawConnection.open(service.url);
    idle.send(request);
    expect((await idle.receive()).status).toBe(200);
    const silent = await RawConnection.open(service.url);
    const busy = await RawConnection.open(service.url);
    busy.send(request.slice(0, 20));
    const agent = new Agent({ keepAlive: true });
    const managed = new Promise((resolve) => get(`${service.managementUrl}/livez`, { agent }, resolve));
    expect(await managed).toBeDefined();
    service.signal('SIGTERM');
    await service.untilLogged(({ event }) => event === 'app.draining');
    busy.send(request.slice(20));
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    agent.destroy();
    for (const connection of [idle, silent, busy]) {
      expect(await connection.untilClosed()).toBe(true);
      connection.close();
    }
    await database.drop();
  });
});

describe('under an old Node', () => {
  const folder = scratchFolder('old-node');

  afterAll(() => removeScratch(folder));

  it('goes on under the one of its packages, passes a signal on, and ends as that ends', async () => {
    const database = await createSqliteDatabase();
    const service = await Service.start({ database, ...oldNode(folder) });
    const { text } = await new HttpClient(service.managementUrl).get('/metrics');
    expect(Number(/^nodejs_version_info\{[^}]*major="(\d+)"/m.exec(text)?.[1])).toBeGreaterThanOrEqual(24);
    expect(service.log[0]?.['pid']).not.toBe(service.pid);
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    await expect(new HttpClient(service.url).get('/v1/pets')).rejects.toThrow(/ECONNREFUSED/);

    const refused = Service.launch({ database, ...oldNode(folder), env: { ...oldNode(folder).env, PORT: 'x' } });
    expect(await refused.exited).toEqual({ code: 78, signal: null });
    await database.drop();
  });

  it('takes one Ctrl-C, which a terminal sends to all that run in it, for one', async () => {
    const database = await createSqliteDatabase();
    const { node = process.execPath, env = {} } = oldNode(folder);
    const leader = join(folder, 'leader');
    writeFileSync(leader, `#!/bin/sh\nexec setsid ${node} "$@"\n`);
    chmodSync(leader, 0o755);
    const service = await Service.start({ database, node: leader, env });
    process.kill(-service.pid!, 'SIGINT');
    expect(await service.exited).toEqual({ code: 0, signal: null });
    await database.drop();
  });
});
