import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { readDocument } from '../support/markdown.js';

const { tables } = readDocument('docs/operating/incidents.md');
const [table] = tables.filter(({ header }) => header[0] === '`err.code`');
const named = new Set(table!.rows.flatMap((row) => [...row.join().matchAll(/`(\w+)`/g)].map(([, code]) => code!)));

/** The file that says what the errors of the drivers mean. */
const failures = readFileSync(join(projectFolder, 'src/platform/database/database-failure.ts'), 'utf8');
const codesIn = (expression: RegExp): string[] =>
  [...failures.matchAll(expression)].flatMap(([, found]) => found!.match(/\w+/g)!);

it('the codes of docs/operating/incidents.md are those that the service takes for an outage', () => {
  const numbers = codesIn(/^const \w+: ReadonlySet<number> = new Set\(\[([^[\]]*\d)\]\)/gm).filter((number) =>
    /^\d/.test(number),
  );
  const network = codesIn(/^const \w+: ReadonlySet<string> = new Set\(\[(.*)\]\)/gm);
  const sqlite = codesIn(/\/\^SQLITE_\(([A-Z|]+)\)\//g).map((name) => `SQLITE_${name}`);
  expect([numbers.length > 20, network.length > 3, sqlite.length > 10]).toEqual([true, true, true]);
  expect([...numbers, ...network, ...sqlite].filter((code) => !named.has(code))).toEqual([]);
});
