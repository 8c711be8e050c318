import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { CertificateAuthority } from '../../../test/support/certificates.js';
import { findProgram } from '../../../test/support/programs.js';
import { removeScratch, scratchFolder } from '../../../test/support/scratch.js';
import { MysqlTls } from './mysql-tls.js';

describe('the TLS of a connection', () => {
  const files = { caFile: undefined, certFile: undefined, keyFile: undefined };

  it('is at least 1.2, and verified in every mode that has it', () => {
    expect(new MysqlTls({ mode: 'disable', ...files }).current).toBeUndefined();
    expect(new MysqlTls({ mode: 'verify-ca', ...files }).current).toEqual({
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      verifyIdentity: false,
    });
    expect(new MysqlTls({ mode: 'verify-identity', ...files }).current).toMatchObject({ verifyIdentity: true });
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
    const tls = new MysqlTls({ mode: 'verify-ca', caFile, certFile, keyFile }, pino({}, { write }));
    const next = async () => {
      await nextTurn();
      return tls.current;
    };
    return { next, told, tls };
  }

  it('are those of the moment, in one object for as long as the files have the same bytes', async () => {
    const { next, told, tls } = following();
    const first = tls.current;
    const { certificate, key } = renewed();
    // Within one turn a connection gets no part of another.
    expect(tls.current).toBe(first);
    const second = await next();
    expect(second).not.toBe(first);
    expect(second).toMatchObject({ cert: readFileSync(certificate), key: readFileSync(key) });
    copyFileSync(key, keyFile);
    expect(await next()).toBe(second);
    expect(told).toEqual([]);
  });

  const unusable: [string, () => void][] = [
    ['no file', () => rmSync(certFile)],
    ['an authority that is no certificate', () => writeFileSync(caFile, 'none')],
    ['an empty authority', () => writeFileSync(caFile, '')],
    ['a key that is none', () => writeFileSync(keyFile, 'none')],
    ["another certificate's key", () => copyFileSync(authority.issue('DNS:client').key, keyFile)],
  ];

  it.each(unusable)('are the last good ones where there is %s, which is told once', async (_, spoil) => {
    const { next, told } = following();
    const good = await next();
    spoil();
    for (let n = 0; n < 3; n += 1) expect(await next()).toBe(good);
    expect(told).toMatchObject([{ event: 'config.warning', err: { message: expect.stringMatching(/DATABASE_TLS_/) } }]);
    copyFileSync(authority.certificate, caFile);
    const { certificate } = renewed();
    expect(await next()).toMatchObject({ cert: readFileSync(certificate) });
    rmSync(keyFile);
    await next();
    expect(told).toHaveLength(2);
  });

  it.each(unusable)('cannot be used from the start with %s', (_, spoil) => {
    following();
    spoil();
    const start = (): MysqlTls => new MysqlTls({ mode: 'verify-ca', caFile, certFile, keyFile });
    expect(start).toThrow(/^The configuration has one fault:\n {2}DATABASE_TLS_(CA|CERT|KEY)_FILE: cannot be used: /);
  });
});
