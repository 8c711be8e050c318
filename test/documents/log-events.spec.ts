import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { projectFiles, readDocument } from '../support/markdown.js';

const sources = projectFiles().filter((path) => /^src\/.*(?<!\.spec)\.ts$/.test(path));
const logged = new Set(
  sources.flatMap((path) => {
    const text = readFileSync(join(projectFolder, path), 'utf8');
    return [...text.matchAll(/\bevent"?: ?['"]([a-z_]+\.[a-z_]+)['"]/g)].map(([, event]) => event!);
  }),
);
const namesIn = (cell: string): string[] => [...cell.matchAll(/`([a-z_.]+)`/g)].map(([, name]) => name!);
const firstCells = (header: string): string[] => {
  const { tables } = readDocument('docs/operating/observe.md');
  const [table] = tables.filter((each) => each.header[0] === header);
  return table!.rows.flatMap(([cell]) => namesIn(cell!));
};

it('the table "Log events" of docs/operating/observe.md has each event that the source logs, and no other', () => {
  expect(logged.size).toBeGreaterThan(30);
  expect(firstCells('Event').sort()).toEqual([...logged].sort());
});

describe('the pages for operators', () => {
  const pages = projectFiles().filter((path) => /^docs\/operating\/.*\.md$|^SECURITY\.md$/.test(path));
  const subjects = new Set([...logged].map((event) => event.split('.')[0]!));
  const fields = new Set(firstCells('Field'));

  it.each(pages)('%s names no event that nothing logs', (path) => {
    // Chart values, files and columns contain a dot too, but no event begins with their words.
    const named = readDocument(path).codes.filter((code) => /^[a-z_]+\.[a-z_]+$/.test(code));
    const events = named.filter((code) => subjects.has(code.split('.')[0]!) && !fields.has(code));
    expect(events.filter((code) => !logged.has(code))).toEqual([]);
  });
});
