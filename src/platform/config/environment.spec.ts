import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError, loadConfig, loadEnvironment, type Config } from './index.js';
import { variables } from './variables.js';

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

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** The name and reason of each fault; empty if the environment is accepted. */
function faultsOf(env: NodeJS.ProcessEnv): [string, string][] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map(({ name, reason }) => [name, reason]);
  }
}

/** Every variable, with a value that is not its default. */
const everyVariable: Readonly<Record<string, string>> = {
  NODE_ENV: 'test',
  LOG_LEVEL: 'warn',
  LOG_FORMAT: 'pretty',
  FEATURES_OFF: 'orders',
  OPTIMIZATIONS_OFF: 'batching',
  DOCS_ENABLED: 'false',
  DOCS_CONTACT: 'https://help.example.com/',
  HOST: '::1',
  PORT: '8080',
  PUBLIC_BASE_URL: 'https://api.example.com/v1',
  STAGING_BASE_URL: 'https://staging.example.com/v1',
  REQUEST_DEADLINE_MS: '4000',
  HTTP_HEADERS_TIMEOUT_MS: '4000',
  HTTP_REQUEST_TIMEOUT_MS: '9000',
  HTTP_KEEP_ALIVE_TIMEOUT_MS: '9000',
  HTTP_BODY_LIMIT_BYTES: '9000',
  HTTP_MAX_CONNECTIONS: '9000',
  TRUST_PROXY: '1',
  CORS_ORIGINS: 'https://app.example.com',
  SHED_MAX_INFLIGHT: '9',
  SHED_LOOP_DELAY_MS: '9',
  API_KEYS_FILE: 'a file',
  API_KEY_CACHE_TTL_MS: '9',
  IDEMPOTENCY_RETENTION_MS: '3600000',
  AUTH_FAILURES_PER_MINUTE: '9',
  RATE_LIMIT_PER_MINUTE: '9',
  REDIS_URL: 'redis://:secret@localhost:6379',
  DATABASE_URL: 'mysql://u:p%20@h/d',
  MIGRATIONS: 'off',
  DATABASE_POOL_SIZE: '9',
  DATABASE_MAX_WAITERS: '9',
  DATABASE_ACQUIRE_TIMEOUT_MS: '9',
  DATABASE_CONNECT_TIMEOUT_MS: '9',
  DATABASE_QUERY_TIMEOUT_MS: '9',
  DATABASE_CONNECTION_MAX_AGE_MS: '9',
  DATABASE_TLS_MODE: 'verify-ca',
  DATABASE_TLS_CA_FILE: 'a file',
  DATABASE_TLS_CERT_FILE: 'a file',
  DATABASE_TLS_KEY_FILE: 'a file',
  DATABASE_CAUSAL_READS: 'galera',
  MANAGEMENT_PORT: '9999',
  METRICS_ENABLED: 'false',
  READINESS_CHECKS_DATABASE: 'false',
  LIVENESS_MAX_STALL_MS: '9',
  STARTUP_TIMEOUT_MS: '9',
  SHUTDOWN_DELAY_MS: '9',
  SHUTDOWN_TIMEOUT_MS: '9',
  OTEL_SDK_DISABLED: 'false',
  OTEL_SERVICE_NAME: 'pets',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=secret',
  OTEL_EXPORTER_OTLP_CERTIFICATE: 'a file',
  GET_PET_SUNSET: '2031-01-01',
};

/** Variables that are required together with this one. */
function othersOf(name: string): NodeJS.ProcessEnv {
  if (name === 'DATABASE_TLS_CERT_FILE') return { DATABASE_TLS_KEY_FILE: file('other', 'text') };
  if (name === 'DATABASE_TLS_KEY_FILE') return { DATABASE_TLS_CERT_FILE: file('other', 'text') };
  return {};
}

describe('NAME_FILE', () => {
  it.each([
    ['no newline', 'mysql://u:p%20@h/d'],
    ['a newline', 'mysql://u:p%20@h/d\n'],
    ['a DOS newline', 'mysql://u:p%20@h/d\r\n'],
  ])('gives the value, with %s at its end', (_title, content) => {
    const path = file('url', content);
    const { database, settings } = loadConfig({ DATABASE_URL_FILE: path });
    expect(database.target).toMatchObject({ password: 'p ' });
    expect(database.urlFile).toBe(path);
    expect(settings.find(({ name }) => name === 'DATABASE_URL')?.source).toBe('file');
  });

  it.each(Object.entries(everyVariable))('holds for %s', (name, given) => {
    const value = given === 'a file' ? file('file', 'text') : given;
    const others = othersOf(name);
    const asItself = loadConfig({ ...others, [name]: value });
    const asFile = loadConfig({ ...others, [`${name}_FILE`]: file('value', `${value}\n`) });
    const plain = ({ settings, database, ...rest }: Config): object => ({
      ...rest,
      database: { ...database, urlFile: undefined },
      settings: settings.map((setting) => ({ ...setting, source: setting.name === name ? '' : setting.source })),
    });
    expect(plain(asFile)).toEqual(plain(asItself));
    expect(asFile.settings.find((setting) => setting.name === name)?.source).toBe('file');
    expect(asFile.warnings).toEqual([]);
    // The variable, or the pair, has an effect.
    const hasPair = Object.keys(others).length > 0;
    expect(plain(asItself)).not.toEqual(plain(loadConfig(hasPair ? {} : others)));
  });

  it('is tried with every variable', () => {
    expect(Object.keys(everyVariable)).toEqual(expect.arrayContaining(Object.keys(variables)));
  });

  it('has one newline trimmed, not two, and no space', () => {
    for (const content of ['8080\n\n', ' 8080', '8080 \n']) {
      expect(faultsOf({ PORT_FILE: file('port', content) })).toEqual([
        ['PORT', 'must be a whole number from 0 to 65535 (read from PORT_FILE)'],
      ]);
    }
  });

  it.each(['', '\n', '\uFEFF'])('is a fault when the file is empty: %j', (content) => {
    const path = file('empty', content);
    expect(faultsOf({ PORT_FILE: path })).toEqual([['PORT_FILE', `names a file that is empty: ${path}`]]);
  });

  it('has a byte order mark taken off, and other encodings refused', () => {
    expect(loadConfig({ PORT_FILE: file('port', '\uFEFF8080\r\n') }).http.port).toBe(8080);
    const path = join(folder, 'utf-16');
    writeFileSync(path, '\uFEFF8080', 'utf16le');
    expect(faultsOf({ PORT_FILE: path })).toEqual([
      ['PORT_FILE', `names a file that is not UTF-8 text; save it as UTF-8: ${path}`],
    ]);
  });

  it('is a fault when the file is none, and never waits for it', () => {
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    for (const path of [fifo, '/dev/zero']) {
      expect(faultsOf({ PORT_FILE: path })).toEqual([['PORT_FILE', `names a file that is no regular file: ${path}`]]);
    }
    for (const name of ['CERTIFICATE', 'TRACES_CLIENT_KEY']) {
      expect(faultsOf({ OTEL_SDK_DISABLED: 'false', [`OTEL_EXPORTER_OTLP_${name}`]: fifo })).toEqual([
        [`OTEL_EXPORTER_OTLP_${name}`, 'must be the path of a file that can be read'],
      ]);
    }
  });

  it("leaves OpenTelemetry's own name of a file as it is", () => {
    expect(loadConfig({ OTEL_CONFIG_FILE: '/none' }).otel.variables).toEqual({ OTEL_CONFIG_FILE: '/none' });
  });

  it('is a fault beside NAME', () => {
    expect(faultsOf({ PORT: '8080', PORT_FILE: file('port', '8080') })).toEqual([
      ['PORT', 'is given twice: also as PORT_FILE'],
    ]);
  });

  it('is one fault by its own name when the file cannot be read', () => {
    const missing = join(folder, 'missing');
    expect(
      faultsOf({ NODE_ENV: 'production', PUBLIC_BASE_URL: 'https://a.example/v1', DATABASE_URL_FILE: missing }),
    ).toEqual([['DATABASE_URL_FILE', `names a file that cannot be read (ENOENT): ${missing}`]]);
    expect(faultsOf({ PORT_FILE: folder })).toEqual([['PORT_FILE', `names a file that is a directory: ${folder}`]]);
  });
});
