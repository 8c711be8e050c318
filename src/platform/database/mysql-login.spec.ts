import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { removeScratch, scratchFolder } from '../../../test/support/scratch.js';
import { loadConfig, type MySqlTarget } from '../config/index.js';
import { MysqlLogin } from './mysql-login.js';

const folder = scratchFolder('mysql-login');
const file = join(folder, 'url');
const write = (url: string): void => writeFileSync(file, url);

afterAll(() => removeScratch(folder));

/** A login that follows the file, and the lines that it logs. */
function following() {
  write('mysql://ann:old@127.0.0.1/store');
  const { database } = loadConfig({ NODE_ENV: 'test', DATABASE_URL_FILE: file });
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const login = new MysqlLogin(database, database.target as MySqlTarget, log);
  return { login, lines };
}

it('is the one that the file has now', () => {
  const { login, lines } = following();
  expect(login.current).toMatchObject({ user: 'ann', password: 'old' });
  write('mysql://bob:new@127.0.0.1/store');
  expect(login.current).toMatchObject({ user: 'bob', password: 'new' });
  expect(lines).toEqual([]);
});

it('holds on while the file cannot be used, which is logged once each time', () => {
  const { login, lines } = following();
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
  const { login } = following();
  write('sqlite:/tmp/store.sqlite');
  expect(login.current).toMatchObject({ user: 'ann', password: 'old' });
});
