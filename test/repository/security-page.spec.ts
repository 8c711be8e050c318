import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { inventKey } from '../support/api-keys.js';

const project = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(project, 'docs', 'security.md'), 'utf8');

/** The rows of the tables with three columns: the subject, the measure, and its tests. */
const rows = page
  .split('\n')
  .map((line) => line.split('|').slice(1, -1))
  .filter((cells) => cells.length === 3 && cells[0]?.trim() !== '' && !/^-+$/.test(cells[0] ?? ''))
  .map(([subject = '', , tests = '']) => [subject.trim(), tests] as const);

describe('SECURITY.md', () => {
  const policy = readFileSync(join(project, 'SECURITY.md'), 'utf8');

  it('says how to report a weakness, and is what the page points to', () => {
    expect(policy).toMatch(/^## Report a weakness$/m);
    expect(page).toContain('](../SECURITY.md)');
  });

  it('has an expression by which a scanner finds every key, and nothing that only resembles one', () => {
    const pattern = /`(as_\(live[^`]*)`/.exec(policy)?.[1] ?? '';
    for (const environment of ['as_live_', 'as_test_']) {
      expect(`KEY=${inventKey().replace('as_test_', environment)};`).toMatch(new RegExp(`=${pattern};`));
    }
    expect('as_prod_Ab3dE6gH_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZab').not.toMatch(new RegExp(pattern));
  });
});

describe('docs/security.md', () => {
  it('has a row for each of the ten of OWASP', () => {
    const numbers = rows.map(([subject]) => /^API(\d+) /.exec(subject)?.[1]).filter((number) => number !== undefined);
    expect(numbers).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  });

  it.each(rows)('%s is held by tests that there are', (_, tests) => {
    const paths = [...tests.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(paths.filter((path) => path.endsWith('.spec.ts'))).not.toEqual([]);
    expect(paths.filter((path) => !existsSync(join(project, path)))).toEqual([]);
  });

  it('names scripts that there are', () => {
    const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...page.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
