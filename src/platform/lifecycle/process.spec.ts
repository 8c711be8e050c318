import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { commandFault, commandHint } from './index.js';

describe('what a command says, away from a terminal,', () => {
  const here = process.cwd();
  const environment = process.env;
  const { isTTY } = process.stderr;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'process-'));
    process.chdir(folder);
    process.stderr.isTTY = false;
    writeFileSync('production', 'production\n');
    writeFileSync('pretty', 'pretty\n');
  });

  afterEach(() => {
    process.stderr.isTTY = isTTY;
    process.env = environment;
    process.chdir(here);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['in production', { NODE_ENV: 'production' }, ''],
    ['in production by a file', { NODE_ENV_FILE: 'production' }, ''],
    ['in production by .env', {}, 'NODE_ENV=production'],
    ['in production with a format that is none', { NODE_ENV: 'production', LOG_FORMAT: 'xml' }, ''],
    ['in production by .env with a format that is not there', { LOG_FORMAT_FILE: 'nowhere' }, 'NODE_ENV=production'],
    ['in production with an .env that cannot be read', { NODE_ENV: 'production' }, undefined],
  ])('is a line of the log %s', (_title, env, dotEnv) => {
    if (dotEnv === undefined) mkdirSync('.env');
    else writeFileSync('.env', dotEnv);
    process.env = env;
    const line = { service: 'animal-store', msg: 'No.' };
    expect(JSON.parse(commandFault('No.\n'))).toMatchObject({ ...line, level: 'fatal', event: 'command.failed' });
    expect(JSON.parse(commandHint('No.\n'))).toMatchObject({ ...line, level: 'info', event: 'command.hint' });
  });

  it.each([
    ['elsewhere', {}, ''],
    ['elsewhere by .env', {}, 'NODE_ENV=development\nLOG_FORMAT=json'],
    ['in production, pretty', { NODE_ENV: 'production', LOG_FORMAT: 'pretty' }, ''],
    ['in production, pretty by a file', { NODE_ENV: 'production', LOG_FORMAT_FILE: 'pretty' }, ''],
    ['in production, pretty by .env', { NODE_ENV: 'production' }, 'LOG_FORMAT=pretty'],
  ])('is plain text %s', (_title, env, dotEnv) => {
    writeFileSync('.env', dotEnv);
    process.env = env;
    expect([commandFault('No.\n'), commandHint('No.\n')]).toStrictEqual(['No.\n', 'No.\n']);
  });
});
