import { rmSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { PATIENT } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onMysql } from '../support/engines.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { HttpClient } from '../support/http.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { complaintsIn, Service } from '../support/service.js';

const NAME = 'writer.pets.test';
const MAX_AGE_MS = 1000;

onMysql('a database that moves while the service runs', (engine) => {
  const folder = scratchFolder('moved');
  const hostFile = join(folder, 'address');
  let database: TestDatabase;
  let old: FaultyProxy;
  let next: FaultyProxy;

  beforeAll(async () => {
    database = await engine.createDatabase();
    const target = Number(new URL(database.url).port);
    old = await FaultyProxy.listen(target);
    // Every address that begins with 127 belongs to this machine.
    next = await FaultyProxy.listen(target, { host: '127.0.0.2', port: old.port });
  });

  afterAll(async () => {
    await Promise.all([old.stop(), next.stop()]);
    await database.drop();
    removeScratch(folder);
  });

  async function untilLeft(client: HttpClient): Promise<void> {
    for (const limit = Date.now() + 60_000; old.open > 0; await sleep(50)) {
      if (Date.now() > limit) throw new Error(`${String(old.open)} connections stayed`);
      expect((await client.get('/v1/pets')).status).toBe(200);
    }
  }

  it('is asked on the same connections until they are that old, also after a while without a request', async () => {
    const service = await Service.start({
      database: { url: old.through(database.url) },
      env: {
        ...PATIENT,
        DATABASE_CONNECTION_MAX_AGE_MS: '86400000',
        READINESS_CHECKS_DATABASE: 'false',
        API_KEY_CACHE_TTL_MS: '60000',
      },
    });
    const client = new HttpClient(service.url, await storeKey(database));
    expect((await client.get('/v1/pets')).status).toBe(200);
    // The last use of the key is written a moment later, perhaps on another connection.
    await sleep(1.5 * MAX_AGE_MS);
    const made = old.accepted;
    for (let round = 0; round < 3; round += 1) {
      await sleep(1.5 * MAX_AGE_MS);
      expect((await client.get('/v1/pets')).status).toBe(200);
    }
    expect(old.accepted).toBe(made);
    await service.stop();
  });

  it('is followed to the new address of its name, connection by connection, without a failure', async () => {
    writeFileSync(hostFile, '127.0.0.1');
    const preload = fileURLToPath(new URL('../support/moving-host.cjs', import.meta.url));
    const service = await Service.start({
      database: { url: old.through(database.url, NAME) },
      env: {
        ...PATIENT,
        DATABASE_CONNECTION_MAX_AGE_MS: String(MAX_AGE_MS),
        NODE_OPTIONS: `--require ${preload}`,
        TEST_HOST_NAME: NAME,
        TEST_HOST_FILE: hostFile,
      },
    });
    const client = new HttpClient(service.url, await storeKey(database));
    expect((await client.get('/v1/pets')).status).toBe(200);
    expect([old.open > 0, next.accepted]).toEqual([true, 0]);
    writeFileSync(hostFile, '127.0.0.2');
    await untilLeft(client);
    // The last connection may be closed before a new one is needed.
    expect((await client.get('/v1/pets')).status).toBe(200);
    expect([old.open, next.accepted > 0]).toEqual([0, true]);
    expect(complaintsIn(service.log)).toEqual([]);
    await service.stop();
  });

  it('is logged in to with the password of the moment, also where the file is gone for a while', async () => {
    const login = new URL(old.through(database.url));
    const [user, host] = [`mover_${String(process.pid)}`, '%'];
    const change = (password: string): string => `ALTER USER '${user}'@'${host}' IDENTIFIED BY '${password}'`;
    await database.query(`CREATE USER '${user}'@'${host}' IDENTIFIED BY 'first'`);
    await database.query(`GRANT ALL ON \`${login.pathname.slice(1)}\`.* TO '${user}'@'${host}'`);
    // As kubelet mounts a secret: a link that is swapped in one step.
    const link = join(folder, 'url');
    const publish = (password: string): void => {
      const target = new URL(login);
      [target.username, target.password] = [user, password];
      const version = join(folder, `url-${password}`);
      writeFileSync(version, `${target.href}\n`);
      symlinkSync(version, `${link}.new`);
      renameSync(`${link}.new`, link);
    };
    publish('first');
    const service = await Service.start({
      database: { url: '' },
      env: {
        DATABASE_URL: undefined,
        DATABASE_URL_FILE: link,
        ...PATIENT,
        DATABASE_CONNECTION_MAX_AGE_MS: String(MAX_AGE_MS),
        LOG_LEVEL: 'debug',
      },
    });
    const client = new HttpClient(service.url, await storeKey(database));
    const serve = async (forMs: number): Promise<void> => {
      for (const end = Date.now() + forMs; Date.now() < end; await sleep(50)) {
        expect((await client.get('/v1/pets')).status).toBe(200);
      }
    };
    await serve(200);
    publish('second');
    await database.query(change('second'));
    const made = old.accepted;
    await serve(2 * MAX_AGE_MS);
    expect(old.accepted).toBeGreaterThan(made);
    // Without the file the service continues with the value that it last read.
    rmSync(link);
    const later = old.accepted;
    await serve(2 * MAX_AGE_MS);
    expect(old.accepted).toBeGreaterThan(later);
    const warnings = service.log.filter(({ event, level }) => event === 'config.warning' && level === 'warn');
    expect(warnings).toHaveLength(1);
    expect(service.output).not.toMatch(/first|second/);
    await service.stop();
    await database.query(`DROP USER '${user}'@'${host}'`);
  });

  it('is logged in to once the password is right, where it was wrong from the start', async () => {
    const file = join(folder, 'late');
    const wrong = new URL(database.url);
    wrong.password = 'wrong';
    writeFileSync(file, wrong.href);
    const service = Service.launch({
      database: { url: '' },
      env: { DATABASE_URL: undefined, DATABASE_URL_FILE: file },
    });
    const line = await service.untilLogged(({ event }) => event === 'db.unavailable');
    expect(line).toMatchObject({ part: 'connect', err: { code: 'ER_ACCESS_DENIED_ERROR' } });
    writeFileSync(file, database.url);
    await service.untilLogged(({ event }) => event === 'app.ready');
    await service.stop();
  });
});
