import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { projectFiles, readDocuments } from '../support/markdown.js';

const run = promisify(execFile);
const folders = new Set(projectFiles().flatMap((path) => /^(.*\/)[^/]*$/.exec(path)?.[1] ?? []));
const foldersLike = (pattern: RegExp): string[] => [
  ...new Set([...folders].flatMap((folder) => pattern.exec(folder)?.[0] ?? [])),
];

it('the table of folders has every folder', () => {
  const { codes } = readDocuments().find(({ path }) => path === 'docs/architecture.md')!;
  // Folders at the top, and the folders one level below src, test and deploy.
  const named = [...foldersLike(/^(?!\.|docs|src|test|deploy)[^/]+\//), ...foldersLike(/^(src|test|deploy)\/[^/]+\//)];
  expect(named.length).toBeGreaterThan(10);
  const all = [...named.filter((folder) => folder !== 'src/platform/'), ...foldersLike(/^src\/platform\/[^/]+\//)];
  expect(all.filter((folder) => !codes.includes(folder))).toEqual([]);
});

const drawing = readFileSync(join(projectFolder, 'docs/architecture.svg'), 'utf8');

it('the drawing has every concern of the platform', () => {
  const drawn = new Set(drawing.replaceAll(/<[^>]*>/g, ' ').match(/[\w-]+/g));
  const named = foldersLike(/^src\/platform\/[^/]+\//).map((folder) => folder.split('/')[2]!);
  expect(named.filter((concern) => !drawn.has(concern))).toEqual([]);
});

it('the drawing names files that there are', () => {
  const texts = [...drawing.matchAll(/class="file"[^>]*>([^<]*)</g)].map(([, text]) => text!);
  const named = texts.flatMap((text) => text.match(/\S+\.ts\b/g) ?? []);
  expect(named.length).toBeGreaterThan(10);
  const files = new Set(projectFiles());
  const places = (name: string): string[] => [`src/${name}`, `src/platform/${name}`];
  expect(named.filter((name) => !places(name).some((path) => files.has(path)))).toEqual([]);
});

it('the diagrams are what the service does', async () => {
  const { stdout } = await run(process.execPath, ['scripts/architecture-diagrams.mjs'], { cwd: projectFolder });
  expect(stdout.match(/^```mermaid$/gm)).toHaveLength(3);
  expect(readFileSync(join(projectFolder, 'docs/architecture.md'), 'utf8')).toContain(stdout);
});
