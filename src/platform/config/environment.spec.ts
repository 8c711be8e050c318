import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig, loadEnvironment } from './index.js';

describe('loadEnvironment', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'environment-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const dotEnv = (text: string | Buffer): void => writeFileSync(join(folder, '.env'), text);

  it('is the environment of the process where there is no .env', () => {
    expect(loadEnvironment(folder, { PORT: '1' })).toEqual({ PORT: '1' });
    expect(loadEnvironment(folder)).toEqual(process.env);
  });

  it('adds what .env says, and leaves the environment of the process as it was', () => {
    dotEnv('# a comment\nPORT=8080\nDATABASE_URL="mysql://u:p#w@h/d"\n');
    const env = { HOST: '::' };
    expect(loadEnvironment(folder, env)).toEqual({ HOST: '::', PORT: '8080', DATABASE_URL: 'mysql://u:p#w@h/d' });
    expect(env).toEqual({ HOST: '::' });
  });

  it('lets the process win, in both forms of a name', () => {
    dotEnv('PORT=1\nREDIS_URL=redis://h\nDATABASE_URL=sqlite:a\nLOG_LEVEL_FILE=/a\n');
    const env = { PORT: '2', REDIS_URL: '', DATABASE_URL_FILE: '/b', LOG_LEVEL: 'warn' };
    expect(loadEnvironment(folder, env)).toEqual(env);
  });

  it('says by name when .env is there and cannot be read', () => {
    mkdirSync(join(folder, '.env'));
    expect(() => loadEnvironment(folder, {})).toThrow(new ConfigError([{ name: '.env', reason: 'is a directory' }]));
  });

  it('takes a byte order mark off', () => {
    dotEnv('\uFEFFPORT=4262\nHOST=::\n');
    expect(loadEnvironment(folder, {})).toEqual({ PORT: '4262', HOST: '::' });
  });

  it('refuses another encoding than UTF-8', () => {
    dotEnv(Buffer.from('\uFEFFPORT=4262\n', 'utf16le'));
    expect(() => loadEnvironment(folder, {})).toThrow(
      new ConfigError([{ name: '.env', reason: 'is not UTF-8 text; save it as UTF-8' }]),
    );
  });

  it.each([
    ['several lines between quotes', 'A="one\ntwo=2"\nB=3', { A: 'one\ntwo=2', B: '3' }],
    ['a line after one without a value', 'A= \nB=3', { A: '', B: '3' }],
    ['the line ends of Windows', 'A=1\r\nB="2"\r\n', { A: '1', B: '2' }],
    ['the line ends of an old Mac', 'A=1\rB=2', { A: '1', B: '2' }],
    ['comments and spaces', '  # x\n\n export A = 1 # one\nB="2" # two\nC=\'#\'', { A: '1', B: '2', C: '#' }],
  ])('reads %s', (_title, text, variables) => {
    dotEnv(text);
    const environment = loadEnvironment(folder, {});
    expect(environment).toEqual(variables);
    expect(loadConfig(environment).warnings).toEqual([]);
  });

  it.each([
    ['PORT: 4999', 'is not NAME=value and is ignored'],
    ['PORT', 'is not NAME=value and is ignored'],
    ['URL: a=b', 'is not NAME=value and is ignored'],
    ['=3', 'is not NAME=value and is ignored'],
    ['ORDERS="secret" secret', 'has text behind its quotes, which is ignored'],
    ['ORDERS="secret', 'has a quote that does not end'],
    ['ORDERS=sec#ret', 'has a value with #, which ends it; put the value in quotes'],
  ])('warns of %s by its line', (line, unread) => {
    dotEnv(`HOST="::"\nLOG_LEVEL='warn'\n${line}\n\nMANAGEMENT_PORT=9999\n`);
    const { http, log, management, warnings } = loadConfig(loadEnvironment(folder, {}));
    expect([http.host, http.port, log.level, management.port]).toEqual(['::', 3000, 'warn', 9999]);
    expect(warnings).toEqual([`.env line 3 ${unread}.`]);
  });
});
