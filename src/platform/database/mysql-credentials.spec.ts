import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { CertificateAuthority } from '../../../test/support/certificates.js';
import { findProgram } from '../../../test/support/programs.js';
import { removeScratch, scratchFolder } from '../../../test/support/scratch.js';
import { loadConfig, type MySqlTarget } from '../config/index.js';
import { mysqlLogin, mysqlTls } from './mysql-credentials.js';

describe('the TLS of a connection', () => {
  const files = { caFile: undefined, certFile: undefined, keyFile: undefined };

  it('is at least 1.2, and verified in every mode that has it', () => {
    expect(mysqlTls({ mode: 'disable', ...files }).current).toBeUndefined();
    expect(mysqlTls({ mode: 'verify-ca', ...files }).current).toEqual({
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      verifyIdentity: false,
    });
    expect(mysqlTls({ mode: 'verify-identity', ...files }).current).toMatchObject({ verifyIdentity: true });
  });
});

(findProgram('openssl') === undefined ? describe.skip : describe)('the certificates of a connection', () => {
  const folder = scratchFolder('mysql-tls');
  const [caFile, certFile, keyFile] = ['ca.pem', 'client.pem', 'client.key'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  let authority: CertificateAuthority;

  beforeAll(() => void (authority = new CertificateAuthority()));
  afterAll(() => {
    authority.remove();
    removeScratch(folder);
  });

  const renewed = (): ReturnType<CertificateAuthority['issue']> => {
    const issued = authority.issue('DNS:client');
    copyFileSync(issued.certificate, certFile);
    copyFileSync(issued.key, keyFile);
    return issued;
  };

  function following() {
    copyFileSync(authority.certificate, caFile);
    renewed();
    const told: Record<string, unknown>[] = [];
    const write = (line: string): void => void told.push(JSON.parse(line) as Record<string, unknown>);
    const tls = mysqlTls({ mode: 'verify-ca', caFile, certFile, keyFile }, pino({}, { write }));
    return { told, tls };
  }

  it('are those of the moment, in one object for as long as the files have the same bytes', () => {
    const { told, tls } = following();
    const first = tls.current;
    const { certificate, key } = renewed();
    const second = tls.current;
    expect(second).not.toBe(first);
    expect(second).toMatchObject({ cert: readFileSync(certificate), key: readFileSync(key) });
    copyFileSync(key, keyFile);
    expect(tls.current).toBe(second);
    expect(told).toEqual([]);
  });

  const unusable: [string, () => void][] = [
    ['no file', () => rmSync(certFile)],
    ['an authority that is no certificate', () => writeFileSync(caFile, 'none')],
    ['an empty authority', () => writeFileSync(caFile, '')],
    ['a key that is none', () => writeFileSync(keyFile, 'none')],
    ["another certificate's key", () => copyFileSync(authority.issue('DNS:client').key, keyFile)],
  ];

  it.each(unusable)('are the last good ones where there is %s, which is told once', (_, spoil) => {
    const { told, tls } = following();
    const good = tls.current;
    spoil();
    for (let n = 0; n < 3; n += 1) expect(tls.current).toBe(good);
    expect(told).toMatchObject([{ event: 'config.warning', err: { message: expect.stringMatching(/DATABASE_TLS_/) } }]);
    copyFileSync(authority.certificate, caFile);
    const { certificate } = renewed();
    expect(tls.current).toMatchObject({ cert: readFileSync(certificate) });
    rmSync(keyFile);
    expect(tls.current).toBeDefined();
    expect(told).toHaveLength(2);
  });

  it.each(unusable)('cannot be used from the start with %s', (_, spoil) => {
    following();
    spoil();
    const start = () => mysqlTls({ mode: 'verify-ca', caFile, certFile, keyFile });
    expect(start).toThrow(/^The configuration has one fault:\n {2}DATABASE_TLS_(CA|CERT|KEY)_FILE: cannot be used: /);
  });
});

describe('the login of a connection', () => {
  const folder = scratchFolder('mysql-login');
  const file = join(folder, 'url');
  const write = (url: string): void => writeFileSync(file, url);

  afterAll(() => removeScratch(folder));

  /** A login from a file that may change, and the lines that it logs. */
  function followed() {
    write('mysql://ann:old@127.0.0.1/store');
    const { database } = loadConfig({ NODE_ENV: 'test', DATABASE_URL_FILE: file });
    const lines: Record<string, unknown>[] = [];
    const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
    const login = mysqlLogin(database, database.target as MySqlTarget, log);
    return { login, lines };
  }

  it('is the one that the file has now', () => {
    const { login, lines } = followed();
    expect(login.current).toMatchObject({ user: 'ann', password: 'old' });
    write('mysql://bob:new@127.0.0.1/store');
    expect(login.current).toMatchObject({ user: 'bob', password: 'new' });
    expect(lines).toEqual([]);
  });

  it('holds on while the file cannot be used, which is logged once each time', () => {
    const { login, lines } = followed();
    for (const spoil of [() => rmSync(file), () => write('no URL')]) {
      write('mysql://ann:old@127.0.0.1/store');
      expect(login.current).toMatchObject({ password: 'old' });
      lines.length = 0;
      spoil();
      for (let n = 0; n < 3; n += 1) expect(login.current).toMatchObject({ user: 'ann', password: 'old' });
      expect(lines).toMatchObject([{ event: 'config.warning', err: { message: expect.any(String) } }]);
    }
  });

  it('is never that of another kind of database', () => {
    const { login } = followed();
    write('sqlite:/tmp/store.sqlite');
    expect(login.current).toMatchObject({ user: 'ann', password: 'old' });
  });
});
