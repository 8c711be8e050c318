import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { PATIENT, runCommand } from '../support/command.js';
import { createMysqlDatabase, createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { MariaDb } from '../support/mariadb.js';
import { Service } from '../support/service.js';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

describe('HOST=::', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createSqliteDatabase();
  });

  afterAll(() => database.drop());

  if (hasIpv6) {
    it('listens on IPv6 and IPv4, on both ports, and gives each client addresses that it can follow', async () => {
      const service = await Service.start({ database, env: { ...PATIENT, HOST: '::' } });
      const key = await storeKey(database);
      const { port } = new URL(service.url);
      const { port: managementPort } = new URL(service.managementUrl);
      for (const host of ['[::1]', '127.0.0.1', 'localhost']) {
        const client = new HttpClient(`http://${host}:${port}`, key);
        const created = await client.post('/v1/pets', { name: host, categoryId: 1 });
        expect(created.status).toBe(201);
        expect((await client.get(created.headers.get('location')!)).status).toBe(200);
        expect((await new HttpClient(`http://${host}:${managementPort}`).get('/readyz')).status).toBe(200);
      }
      const first = await new HttpClient(`http://[::1]:${port}`, key).get('/v1/pets?limit=1');
      const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
      const page = await new HttpClient(`http://[::1]:${port}`, key).get(next);
      expect([page.status, page.json()]).toMatchObject([200, [{ name: '127.0.0.1' }]]);
      await service.stop();
      const asked = service.log.filter(({ event }) => event === 'http.request').map((line) => line['client_ip']);
      expect(new Set(asked.slice(0, 4))).toEqual(new Set(['::1', '127.0.0.1']));
    });
  } else {
    it('has no IPv6 to listen on here, and says so', async () => {
      const service = Service.launch({ database, env: { HOST: '::1' } });
      expect(await service.exited).toEqual({ code: 1, signal: null });
      expect(service.output).toContain('on ::1 cannot be listened on');
    });
  }
});

onOwnServer('a database at an IPv6 address', () => {
  if (!hasIpv6) {
    it('cannot be reached from a machine without ::1, and the error names the address', async () => {
      const { code, stderr } = await runCommand({ url: 'mysql://root@[::1]:3306/pets' }, ['migrate']);
      expect(code).toBe(1);
      expect(stderr).toContain('[::1]:3306');
    });
    return;
  }
  it('serves', async () => {
    const server = await MariaDb.start({ args: ['--bind-address=*'] });
    const database = await createMysqlDatabase(server.url(), server.adminUrl());
    const { href } = Object.assign(new URL(database.url), { host: `[::1]:${String(server.port)}` });
    const service = await Service.start({ database: { ...database, url: href }, env: PATIENT });
    const client = new HttpClient(service.url, await storeKey(database));
    expect((await client.post('/v1/pets', { name: 'Lumi', categoryId: 1 })).status).toBe(201);
    await service.stop();
    await database.drop();
    await server.stop();
  });
});
