import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readDocument } from './markdown.js';
import { compile, linkPackages } from './packages.js';

/** The pages for teams that add a feature, in the order in which they are read. */
export const EXTENDING = ['tutorial', 'guide', 'reference'].map((page) => `docs/extending/${page}.md`);

/** A file that docs/extending shows: a block with `file=PATH`, or with `also=PATH` for further files. */
export interface GuideFile {
  readonly path: string;
  readonly text: string;
}

/** @param marks the kinds of blocks to return. */
export function guideFiles(...marks: readonly ('file' | 'also')[]): GuideFile[] {
  return EXTENDING.flatMap((page) => readDocument(page).fences).flatMap(({ words, text }) =>
    words.flatMap((word) => {
      const [, mark, path] = /^(file|also)=(.+)$/.exec(word) ?? [];
      return path !== undefined && marks.some((each) => each === mark) ? [{ path, text }] : [];
    }),
  );
}

/** Writes the feature of docs/extending into a folder, and compiles it with the tsconfig.json of that page. */
export async function buildGuide(folder: string): Promise<void> {
  for (const { path, text } of guideFiles('file', 'also')) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  linkPackages(folder);
  await compile(folder);
}
