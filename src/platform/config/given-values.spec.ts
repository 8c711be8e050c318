import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig, type ConfigError } from './index.js';

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

/** Name and reason of each fault; empty when the environment is accepted. */
function faultsOf(env: NodeJS.ProcessEnv): [string, string][] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).faults.map(({ name, reason }) => [name, reason]);
  }
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

  it('holds for every variable, sunsets included', () => {
    const config = loadConfig({
      PORT_FILE: file('port', '8080'),
      DATABASE_TLS_CA_FILE_FILE: file('ca-path', join(folder, 'port')),
      GET_PET_SUNSET_FILE: file('sunset', '2031-01-01\n'),
    });
    expect([config.http.port, config.database.tls.caFile]).toEqual([8080, join(folder, 'port')]);
    expect(config.sunsets.get('GET_PET')).toEqual(new Date('2031-01-01'));
    expect(config.warnings).toEqual([]);
  });

  it('has one newline trimmed, not two, and no space', () => {
    for (const content of ['8080\n\n', ' 8080', '8080 \n']) {
      expect(faultsOf({ PORT_FILE: file('port', content) })).toEqual([
        ['PORT', 'must be a whole number from 0 to 65535 (read from PORT_FILE)'],
      ]);
    }
  });

  it('leaves the variable unset when the file is empty', () => {
    expect(loadConfig({ PORT_FILE: file('empty', '\n') }).http.port).toBe(3000);
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
    expect(faultsOf({ PORT_FILE: folder })).toEqual([
      ['PORT_FILE', `names a file that cannot be read (EISDIR): ${folder}`],
    ]);
  });
});
