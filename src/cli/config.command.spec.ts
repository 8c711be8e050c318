import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { pets } from '../pets/index.js';
import { ConfigError, defineConfig, loadConfig, variable } from '../platform/config/index.js';
import { defineFeature, type Feature } from '../platform/feature.js';
import { configCommand } from './config.command.js';

interface Run {
  readonly out: string;
  readonly err: string;
  readonly exitCode: number;
}

@Module({})
class OrdersModule {}

/** A feature that declares variables. */
const orders = defineFeature({
  name: 'orders',
  platform: '^1.0.0',
  module: OrdersModule,
  config: defineConfig({
    ORDERS_MAX_ITEMS: variable.integer(1, 100)({ default: 10, desc: 'Items of one order.' }),
    ORDERS_PAYMENT_KEY: variable.secret({ default: 'hunter2', desc: 'The key of the payment service.' }),
  }),
});

function run(...options: string[]): Run {
  return runWith([pets], options);
}

function runWith(features: readonly Feature[], options: readonly string[]): Run {
  let out = '';
  let err = '';
  const command = configCommand(features)
    .exitOverride()
    .configureOutput({ writeOut: (text) => (out += text), writeErr: (text) => (err += text) });
  try {
    command.parse([...options], { from: 'user' });
    return { out, err, exitCode: 0 };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { out, err: error.message, exitCode: error.exitCode };
  }
}

/** The names and values of lines such as `#PORT=3000`. */
function assignments(example: string): [string, string][] {
  return example.split('\n').flatMap((line) => {
    const [, name, value] = /^#([A-Z_]+)=(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value]];
  });
}

describe('.env.example', () => {
  const committed = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8');

  it('is what `config --example` prints', () => {
    expect(committed).toBe(run('--example').out);
  });

  it('lists every variable once, commented out', () => {
    const listed = assignments(committed).map(([name]) => name);
    const known = loadConfig({ GET_PET_SUNSET: '2030-12-05' }).settings.map(({ name }) => name);
    expect([...listed].sort()).toEqual([...known].sort());
    expect(committed.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
  });

  it('tells the defaults: with every # taken away the configuration is the same', () => {
    const { settings: _given, sunsets, ...config } = loadConfig(Object.fromEntries(assignments(committed)));
    const { settings: _default, sunsets: _none, ...expected } = loadConfig({});
    expect(config).toEqual({ ...expected, otel: { ...expected.otel, variables: { OTEL_SDK_DISABLED: 'true' } } });
    expect(sunsets.get('GET_PET')).toEqual(new Date('2030-12-05'));
  });
});

it('`config --markdown` has a row for each variable of .env.example', () => {
  const rows = run('--markdown').out.matchAll(/^\| `([A-Z_]+)` \| .+ \| .+ \| .+ \|$/gm);
  const names = [...rows].map(([, name]) => name);
  expect(names).toStrictEqual(assignments(run('--example').out).map(([name]) => name));
});

describe('config', () => {
  const before = { env: process.env, cwd: process.cwd() };
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-command-'));
    process.chdir(folder);
  });
  afterEach(() => {
    process.env = before.env;
    process.chdir(before.cwd);
    rmSync(folder, { recursive: true });
  });

  it('prints each variable, its effective value and where that came from', () => {
    writeFileSync('.env', 'HOST=::1\nPORT=8080\n');
    writeFileSync('url', 'mysql://app:hunter2@db/pets\n');
    process.env = { PORT: '8081', DATABASE_URL_FILE: 'url', REDIS_URL: 'redis://:hunter2@cache' };
    const { out, exitCode } = run();
    const rows = new Map(out.split('\n').map((line) => [line.split(/ +/)[0], line.split(/ {2,}/).slice(1)]));
    expect(exitCode).toBe(0);
    expect(rows.get('HOST')).toEqual(['::1', '.env']);
    expect(rows.get('PORT')).toEqual(['8081', 'environment']);
    expect(rows.get('DATABASE_URL')).toEqual(['mysql://app:***@db:3306/pets', 'file']);
    expect(rows.get('REDIS_URL')).toEqual(['redis://:***@cache', 'environment']);
    expect(rows.get('DATABASE_POOL_SIZE')).toEqual(['10', 'default']);
    expect(rows.get('STAGING_BASE_URL')).toEqual(['(unset)', 'default']);
    expect(rows.get('GET_PET_SUNSET')).toEqual(['2030-12-05', 'default']);
  });

  it('has the variables of features, in each of its formats, without what is secret', () => {
    process.env = { ORDERS_MAX_ITEMS: '7', ORDERS_PAYMENT_KEY: 'hunter3' };
    const [plain, example, markdown] = [[], ['--example'], ['--markdown']].map((options) =>
      runWith([pets, orders], options),
    );
    expect(plain?.out).toMatch(/^ORDERS_MAX_ITEMS +7 +environment$/m);
    expect(plain?.out).toMatch(/^ORDERS_PAYMENT_KEY +\*\*\* +environment$/m);
    expect(example?.out).toMatch(/^#ORDERS_MAX_ITEMS=10$/m);
    expect(example?.out).toMatch(/^#ORDERS_PAYMENT_KEY=$/m);
    expect(markdown?.out).toMatch(/^\| `ORDERS_MAX_ITEMS` \| .+ \| Items of one order\..* \|$/m);
    expect(markdown?.out).toMatch(/^\| `ORDERS_PAYMENT_KEY` \| `\*\*\*` \| .+ \|$/m);
    expect(JSON.stringify([plain, example, markdown])).not.toContain('hunter');
  });

  it('masks what OpenTelemetry is given', () => {
    process.env = {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:hunter2@collector/x',
      OTEL_SERVICE_NAME: 'pets',
    };
    const { out } = run();
    expect(out).not.toContain('hunter2');
    expect(out).toMatch(/^OTEL_EXPORTER_OTLP_ENDPOINT +https:\/\/\*\*\*@collector\/x +environment$/m);
    expect(out).toMatch(/^OTEL_SERVICE_NAME +pets +environment$/m);
  });

  it('warns on stderr of what looks misspelt', () => {
    process.env = { DATABASE_POOLSIZE: '5' };
    expect(run()).toMatchObject({
      err: 'warning: DATABASE_POOLSIZE is not a known variable. Is DATABASE_POOL_SIZE meant?\n',
      exitCode: 0,
    });
  });

  it('ends with 78 where a feature is to be off that there is not', () => {
    process.env = { FEATURES_OFF: 'petz' };
    const { out, err, exitCode } = run();
    expect([out, exitCode]).toEqual(['', 78]);
    expect(err).toContain('FEATURES_OFF: may name only what there is: pets');
  });

  it('ends with 78 and every fault when the configuration is faulty', () => {
    process.env = { PORT: 'hunter2', DOCS_ENABLED: '1' };
    const { out, err, exitCode } = run();
    expect(exitCode).toBe(78);
    expect(out).toBe('');
    expect(err.trimEnd().split('\n')).toEqual([
      'The configuration has 2 faults:',
      '  DOCS_ENABLED: must be true or false',
      '  PORT: must be a whole number from 0 to 65535',
    ]);
  });
});
