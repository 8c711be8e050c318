import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './command.js';

const hook = new URL('list-loaded-modules.mjs', import.meta.url).href;

/** What a service loads, for the environment that it is started in; known once it has ended. */
export class LoadedModules {
  readonly #file: string;

  /** @param folder takes the list. */
  constructor(folder: string) {
    this.#file = join(folder, 'loaded-modules');
  }

  get env(): Environment {
    return { NODE_OPTIONS: `--import=${hook}`, LOADED_MODULES_FILE: this.#file };
  }

  /** Their addresses, without those of Node itself. */
  get files(): readonly string[] {
    const urls = readFileSync(this.#file, 'utf8').split('\n');
    return urls.filter((url) => url.startsWith('file:'));
  }

  get packages(): ReadonlySet<string> {
    return new Set(this.files.flatMap(packagesIn));
  }
}

/** The packages that a file is of: by its own path, and by the notes that the bundler leaves before each part of a chunk. */
function packagesIn(url: string): string[] {
  const notes = readFileSync(new URL(url), 'utf8').match(/^ *\/\/ node_modules\/.*$/gm) ?? [];
  return [url, ...notes].flatMap((place) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place)?.[1] ?? []);
}
