import { X509Certificate } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CertificateAuthority } from '../support/certificates.js';
import type { Environment } from '../support/command.js';
import { createMysqlDatabase, type Row, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { findDatabaseServer, MariaDb } from '../support/mariadb.js';
import { freePort } from '../support/ports.js';
import { findProgram } from '../support/programs.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';
import { tapWire } from '../support/wire.js';

const CANARY = 'Otso-the-canary';
/** The user name of the service. It must not be sent before the server has proved its identity. */
const LOGIN = 'store\0';
/** CLIENT_SSL in the capabilities of a server's greeting. */
const OFFERS_TLS = 0x08;

const EXPIRY = 'animal_store_certificate_expiry_timestamp_seconds';

const canRun = findDatabaseServer() !== undefined && findProgram('openssl') !== undefined;

(canRun ? describe : describe.skip)('TLS to the database', () => {
  const folder = scratchFolder('tls');
  let trusted: CertificateAuthority;
  let stranger: CertificateAuthority;
  let server: MariaDb;
  let database: TestDatabase | undefined;

  const statement = async (sql: string): Promise<Row[]> => (await database?.query(sql)) ?? [];
  const file = (name: string): string => join(folder, name);

  /** Gives the server another certificate. */
  async function present({ certificate, key }: ReturnType<CertificateAuthority['issue']>): Promise<void> {
    copyFileSync(certificate, file('server.pem'));
    copyFileSync(key, file('server.key'));
    const [{ version } = {}] = await statement('SELECT VERSION() AS version');
    await statement(String(version).includes('MariaDB') ? 'FLUSH SSL' : 'ALTER INSTANCE RELOAD TLS');
  }

  beforeAll(async () => {
    [trusted, stranger] = [new CertificateAuthority(), new CertificateAuthority()];
    await present(trusted.issue('IP:127.0.0.1'));
    copyFileSync(trusted.certificate, file('clients.pem'));
    const args = [`--ssl-cert=${file('server.pem')}`, `--ssl-key=${file('server.key')}`];
    server = await MariaDb.start({ args: [...args, `--ssl-ca=${file('clients.pem')}`] });
    database = await createMysqlDatabase(server.url(), server.adminUrl());
    await statement('SET GLOBAL require_secure_transport = ON');
  });

  afterAll(async () => {
    await database?.drop();
    await server.stop();
    for (const authority of [trusted, stranger]) authority.remove();
    removeScratch(folder);
  });

  interface Setup {
    readonly mode: string;
    readonly authority?: CertificateAuthority;
    readonly host?: string;
    readonly rewrite?: (bytes: Buffer) => Buffer;
    readonly env?: Environment;
  }

  async function launch({ mode, authority = trusted, host = '127.0.0.1', rewrite, env }: Setup) {
    const wire = await tapWire(server.port, rewrite);
    const url = new URL(database?.url ?? '');
    url.host = `${host}:${String(wire.port)}`;
    const managementPort = await freePort();
    const service = Service.launch({
      database: { url: url.href },
      env: {
        DATABASE_TLS_MODE: mode,
        DATABASE_TLS_CA_FILE: authority.certificate,
        MANAGEMENT_PORT: String(managementPort),
        ...env,
      },
    });
    return { wire, service, probes: new HttpClient(`http://127.0.0.1:${String(managementPort)}`) };
  }

  async function expectServed(setup: Setup): Promise<void> {
    const { wire, service } = await launch(setup);
    await service.untilLogged((line) => line['event'] === 'app.ready');
    await service.stop();
    await wire.stop();
  }

  /** Expects a refusal: the service is never ready, nothing of the login is sent, and the log line has this code. */
  async function expectRefused(setup: Setup, code: string): Promise<void> {
    const { wire, service, probes } = await launch(setup);
    const line = await service.untilLogged((entry) => entry['event'] === 'db.unavailable');
    expect(line).toMatchObject({ level: 'warn', part: 'connect', err: { code } });
    // The service tries again, and logs the same failure only once.
    for (const tried = wire.connections; wire.connections === tried;) await sleep(20);
    expect(service.log.filter((entry) => entry['event'] === 'db.unavailable')).toEqual([line]);
    expect((await probes.get('/readyz')).status).toBe(503);
    expect(wire.carried(LOGIN)).toBe(false);
    await service.kill('SIGKILL');
    await wire.stop();
  }

  it('carries neither the login nor a pet in the clear', async () => {
    await present(trusted.issue('IP:127.0.0.1'));
    const { wire, service } = await launch({ mode: 'verify-identity' });
    service.url = String((await service.untilLogged((line) => line['event'] === 'app.ready'))['url']);
    const client = new HttpClient(service.url, await service.createKey());
    expect((await client.post('/v1/pets', { name: CANARY, categoryId: 1 })).status).toBe(201);
    expect(await statement('SELECT name FROM pet')).toEqual([{ name: CANARY }]);
    expect(wire.carried(CANARY)).toBe(false);
    expect(wire.carried(LOGIN)).toBe(false);
    await service.stop();
    await wire.stop();
  });

  it('takes a certificate that names the host, and with verify-ca one that does not', async () => {
    await present(trusted.issue('DNS:localhost'));
    await expectServed({ mode: 'verify-identity', host: 'localhost' });
    await present(trusted.issue('DNS:elsewhere.test'));
    await expectServed({ mode: 'verify-ca' });
  });

  it.each(['verify-ca', 'verify-identity'])('refuses an authority that it does not know (%s)', async (mode) => {
    await present(trusted.issue('IP:127.0.0.1'));
    await expectRefused({ mode, authority: stranger }, 'DATABASE_TLS_UNTRUSTED');
  });

  it.each(['verify-ca', 'verify-identity'])('refuses a certificate that has expired (%s)', async (mode) => {
    await present(trusted.issue('IP:127.0.0.1', -1));
    await expectRefused({ mode }, 'DATABASE_TLS_EXPIRED');
  });

  it.each([
    ['of another host', 'DNS:elsewhere.test', 'localhost'],
    ['of localhost, for a server that is named by its address', 'DNS:localhost', '127.0.0.1'],
    ['of another address', 'IP:127.0.0.2', '127.0.0.1'],
  ])('refuses a certificate %s', async (_, names, host) => {
    await present(trusted.issue(names));
    await expectRefused({ mode: 'verify-identity', host }, 'DATABASE_TLS_WRONG_HOST');
  });

  it.each(['verify-ca', 'verify-identity'])(
    'refuses a server, or a man in the middle, without TLS (%s)',
    async (mode) => {
      await present(trusted.issue('IP:127.0.0.1'));
      await expectRefused({ mode, rewrite: withoutTls }, 'DATABASE_TLS_NOT_OFFERED');
    },
  );

  it('is checked at each new connection: an expired certificate and a renewed one are noticed', async () => {
    await present(trusted.issue('IP:127.0.0.1'));
    const { wire, service, probes } = await launch({
      mode: 'verify-identity',
      env: { DATABASE_CONNECTION_MAX_AGE_MS: '500' },
    });
    await service.untilLogged((line) => line['event'] === 'app.ready');
    await present(trusted.issue('IP:127.0.0.1', -1));
    const outage = await service.untilLogged((line) => line['event'] === 'db.unavailable');
    expect(outage).toMatchObject({ level: 'warn', part: 'connect', err: { code: 'DATABASE_TLS_EXPIRED' } });
    while ((await probes.get('/readyz')).status !== 503) await sleep(50);
    await present(trusted.issue('IP:127.0.0.1'));
    await service.untilLogged((line) => line['event'] === 'db.recovered');
    while ((await probes.get('/readyz')).status !== 200) await sleep(50);
    expect(service.log.filter(({ event }) => event === 'db.unavailable')).toEqual([outage]);
    await service.stop();
    await wire.stop();
  });

  it("is followed to another authority and another certificate of the service's own, without a restart", async () => {
    /** Moves both sides to certificates of another authority at the same time. */
    const moveTo = async (authority: CertificateAuthority): Promise<void> => {
      const own = authority.issue('DNS:client');
      copyFileSync(own.certificate, file('client.pem'));
      copyFileSync(own.key, file('client.key'));
      for (const trusting of ['ca.pem', 'clients.pem']) copyFileSync(authority.certificate, file(trusting));
      await present(authority.issue('IP:127.0.0.1'));
    };
    await moveTo(trusted);
    await statement("ALTER USER store@'%' REQUIRE X509");
    const { wire, service } = await launch({
      mode: 'verify-identity',
      env: {
        DATABASE_TLS_CA_FILE: file('ca.pem'),
        DATABASE_TLS_CERT_FILE: file('client.pem'),
        DATABASE_TLS_KEY_FILE: file('client.key'),
        DATABASE_CONNECTION_MAX_AGE_MS: '500',
      },
    });
    service.url = String((await service.untilLogged((line) => line['event'] === 'app.ready'))['url']);
    const client = new HttpClient(service.url, await service.createKey());
    const serveAnew = async (): Promise<void> => {
      await sleep(600);
      for (const made = wire.connections; wire.connections < made + 2; await sleep(50)) {
        expect((await client.get('/v1/pets')).status).toBe(200);
      }
    };
    await serveAnew();
    await moveTo(stranger);
    await serveAnew();
    writeFileSync(file('client.key'), 'none');
    await serveAnew();
    const warnings = service.log.filter(({ event }) => event === 'config.warning');
    expect(warnings).toMatchObject([
      { level: 'warn', err: { message: expect.stringMatching(/DATABASE_TLS_KEY_FILE/) } },
    ]);
    await service.stop();
    await statement("ALTER USER store@'%' REQUIRE NONE");
    await moveTo(trusted);
    await wire.stop();
  });

  it('has metrics of when the certificates of both sides expire, the one of a renewed certificate too', async () => {
    const own = trusted.issue('DNS:client', 1);
    const first = trusted.issue('IP:127.0.0.1', 1);
    await present(first);
    const env = { DATABASE_TLS_CERT_FILE: own.certificate, DATABASE_TLS_KEY_FILE: own.key };
    const { wire, service, probes } = await launch({
      mode: 'verify-identity',
      env: { ...env, DATABASE_CONNECTION_MAX_AGE_MS: '500' },
    });
    await service.untilLogged((line) => line['event'] === 'app.ready');
    const shown = async (): Promise<string[]> =>
      (await probes.get('/metrics')).text.split('\n').filter((line) => line.startsWith(`${EXPIRY}{`));
    const line = (certificate: string, file: string): string =>
      `${EXPIRY}{certificate="${certificate}"} ${new X509Certificate(readFileSync(file)).validToDate.getTime() / 1000}`;
    const client = line('database_client', own.certificate);
    expect((await shown()).sort()).toEqual([client, line('database_server', first.certificate)]);
    // It expires after its authority, so the authority's certificate is now the first to expire.
    await present(trusted.issue('IP:127.0.0.1', 5));
    const authority = line('database_server', trusted.certificate);
    while (!(await shown()).includes(authority)) await sleep(50);
    await service.stop();
    await wire.stop();
  });

  it('is asked for by the server as well: a service that speaks in the clear is refused', async () => {
    const { wire, service } = await launch({ mode: 'disable' });
    const line = await service.untilLogged((entry) => entry['event'] === 'db.unavailable');
    // MariaDB denies access. MySQL says why.
    expect([1045, 3159]).toContain((line['err'] as { errno: number }).errno);
    await service.kill('SIGKILL');
    await wire.stop();
  });
});

/**
 * Changes a greeting so that it does not offer TLS. Its parts: protocol 10, version, NUL, thread, 8 bytes of salt, NUL,
 * capabilities.
 */
function withoutTls(bytes: Buffer): Buffer {
  const PROTOCOL = 4;
  if (bytes[3] !== 0 || bytes[PROTOCOL] !== 10) return bytes;
  const capabilities = bytes.indexOf(0, PROTOCOL + 1) + 1 + 4 + 8 + 1;
  const rewritten = Buffer.from(bytes);
  rewritten[capabilities + 1]! &= ~OFFERS_TLS;
  return rewritten;
}
