import { InvalidArgumentError } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FeatureNames } from './feature-names.js';

/** One file to be written. */
export interface NewFile {
  /** From the folder that everything is written into. */
  readonly path: string;
  readonly text: string;
}

/** They are a feature called `things`, which compiles, lints and passes its tests as it stands. */
const folder = fileURLToPath(new URL('../../templates', import.meta.url));
const TIMESTAMP = /1764000000000/g;
/** Comments and strings. */
const PROSE = /\/\*.*?\*\/|\/\/[^\n]*|'[^'\n]*'|`[^`]*`/gs;

/**
 * The files of a template, renamed.
 *
 * @throws {InvalidArgumentError} with a plain sentence, where a class of the feature would have the name of another.
 * @param now milliseconds since the epoch, for the name of the migration.
 */
export function renderTemplate(template: 'feature' | 'package', names: FeatureNames, now: number): NewFile[] {
  const root = join(folder, template);
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => {
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8');
    if (new RegExp(`\\b${names.one.pascal}\\b`).test(text.replace(PROSE, ''))) {
      throw new InvalidArgumentError(`The code needs another class '${names.one.pascal}'. Say --singular WORD`);
    }
    // npm would not pack a .gitignore.
    const path = file.slice(root.length + 1).replace(/^gitignore$/, '.gitignore');
    return { path: rename(path, names, now), text: rename(text, names, now) };
  });
}

/** `things` is spelt as what stands around it asks for: SQL and codes, then paths and names, then TypeScript. */
function rename(text: string, { feature, one }: FeatureNames, now: number): string {
  return text
    .replace(TIMESTAMP, String(now))
    .replace(/\bthings_thing\b/g, `${feature.snake}_${one.snake}`)
    .replace(/\bthing_/g, `${one.snake}_`)
    .replace(/(?<=^|['"`/-])things(?=$|['"`:/.?])/g, feature.kebab)
    .replace(/(?<=^|['"`/-])thing(?=\.)/g, one.kebab)
    .replaceAll('Things', feature.pascal)
    .replaceAll('Thing', one.pascal)
    .replace(/(?<![a-z])things/g, feature.camel)
    .replace(/(?<![a-z])thing/g, one.camel);
}

/**
 * A feature's file as it stands in this repository: it imports the platform's folders where another package imports
 * `animal-store`, and Jest runs its tests.
 *
 * @param file as another package would have it, its path from `src/`.
 * @param publicApi the text of src/index.ts, which says where each name comes from.
 */
export function inRepository(file: NewFile, publicApi: string): NewFile {
  const folders = foldersOf(publicApi);
  const up = posix.relative(posix.dirname(file.path), '.') || '.';
  const text = file.text
    .replace(/^import \{([^}]*)\} from 'animal-store';$/gm, (_, list: string) => importsOf(namesIn(list), folders, up))
    .replace("'animal-store/testing'", `'${up}/testing/index.js'`)
    .replace(
      "import { after, before, beforeEach, describe, it } from 'node:test';",
      "import { afterAll as after, beforeAll as before, beforeEach, describe, it } from '@jest/globals';",
    );
  return { path: file.path.replace(/\.test\.ts$/, '.spec.ts'), text };
}

/** From `Name` to the file that src/index.ts exports it from, e.g. `./platform/errors/index.js`. */
function foldersOf(publicApi: string): Map<string, string> {
  const exported = publicApi.matchAll(/^export \{([^}]*)\} from '([^']*)';$/gm);
  return new Map(
    [...exported].flatMap(([, list = '', folder = '']) => namesIn(list).map((name) => [bare(name), folder] as const)),
  );
}

function importsOf(names: readonly string[], folders: ReadonlyMap<string, string>, up: string): string {
  const byFolder = Map.groupBy(names, (name) => folders.get(bare(name)) ?? './index.js');
  return [...byFolder]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, inside]) => {
      const types = inside.every((name) => name.startsWith('type '));
      const list = types ? inside.map(bare).join(', ') : inside.join(', ');
      return `import ${types ? 'type ' : ''}{ ${list} } from '${posix.join(up, folder)}';`;
    })
    .join('\n');
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function bare(name: string): string {
  return name.replace(/^type /, '');
}
