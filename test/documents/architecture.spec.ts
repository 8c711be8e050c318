import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { projectFiles, readDocuments } from '../support/markdown.js';

const folders = new Set(projectFiles().flatMap((path) => /^(.*\/)[^/]*$/.exec(path)?.[1] ?? []));
const foldersLike = (pattern: RegExp): string[] => [
  ...new Set([...folders].flatMap((folder) => pattern.exec(folder)?.[0] ?? [])),
];

it('the tour of the house comes by every room', () => {
  const { codes } = readDocuments().find(({ path }) => path === 'docs/architecture.md')!;
  // A room is a folder at the top, or one in these.
  const rooms = [...foldersLike(/^(?!\.|docs|src|test|deploy)[^/]+\//), ...foldersLike(/^(src|test|deploy)\/[^/]+\//)];
  expect(rooms.length).toBeGreaterThan(10);
  const all = [...rooms.filter((room) => room !== 'src/platform/'), ...foldersLike(/^src\/platform\/[^/]+\//)];
  expect(all.filter((room) => !codes.includes(room))).toEqual([]);
});

it('the drawing has every room of the platform', () => {
  const drawing = readFileSync(join(projectFolder, 'docs/architecture.svg'), 'utf8');
  const drawn = new Set(drawing.replaceAll(/<[^>]*>/g, ' ').match(/[\w-]+/g));
  const rooms = foldersLike(/^src\/platform\/[^/]+\//).map((folder) => folder.split('/')[2]!);
  expect(rooms.filter((room) => !drawn.has(room))).toEqual([]);
});
