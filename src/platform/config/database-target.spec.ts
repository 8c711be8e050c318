import { mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { currentDatabaseTarget, loadConfig } from './index.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'target-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe('the database target of a new connection', () => {
  it('is read again from its file for each new connection, through a link that was swapped', () => {
    const link = join(folder, 'current');
    symlinkSync(file('before', 'mysql://u:old@h/d\n'), link);
    const { database } = loadConfig({ DATABASE_URL_FILE: link });
    expect(currentDatabaseTarget(database)).toMatchObject({ password: 'old' });

    unlinkSync(link);
    symlinkSync(file('after', 'mysql://u:new@h/d\n'), link);
    expect(currentDatabaseTarget(database)).toMatchObject({ password: 'new' });
    expect(database.target).toMatchObject({ password: 'old' });

    writeFileSync(link, 'not a URL with hunter2');
    expect(() => currentDatabaseTarget(database)).toThrow(
      /^The configuration has one fault:\n {2}DATABASE_URL: must be/,
    );
    unlinkSync(link);
    expect(() => currentDatabaseTarget(database)).toThrow(/DATABASE_URL_FILE: names a file that cannot be read/);
  });

  it('stays as it was when DATABASE_URL was given directly', () => {
    const { database } = loadConfig({ DATABASE_URL: 'sqlite::memory:' });
    expect(currentDatabaseTarget(database)).toBe(database.target);
  });
});
