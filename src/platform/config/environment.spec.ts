import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError, loadEnvironment } from './index.js';

describe('loadEnvironment', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'environment-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const dotEnv = (text: string): void => writeFileSync(join(folder, '.env'), text);

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
    expect(() => loadEnvironment(folder, {})).toThrow(
      new ConfigError([{ name: '.env', reason: 'cannot be read (EISDIR)' }]),
    );
  });
});
