import { posix } from 'node:path';
import type { NewFile } from './feature-template.js';

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
