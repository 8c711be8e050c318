import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from './command.js';

const hook = new URL('list-loaded-modules.mjs', import.meta.url).href;

/** The modules that a service loads. The list is complete once the service has ended. */
export class LoadedModules {
  readonly #file: string;

  /** @param folder the folder for the list. */
  constructor(folder: string) {
    this.#file = join(folder, 'loaded-modules');
  }

  get env(): Environment {
    return { NODE_OPTIONS: `--import=${hook}`, LOADED_MODULES_FILE: this.#file };
  }

  /** The URLs of the modules, without those of Node itself. */
  get files(): readonly string[] {
    const urls = readFileSync(this.#file, 'utf8').split('\n');
    return urls.filter((url) => url.startsWith('file:'));
  }

  get packages(): ReadonlySet<string> {
    return new Set(this.files.flatMap(packagesIn));
  }
}

/**
 * The packages that a file holds: by its own path, and by the comments that the bundler writes before each part of a
 * chunk.
 */
function packagesIn(url: string): string[] {
  const notes = readFileSync(new URL(url), 'utf8').match(/^ *\/\/ node_modules\/.*$/gm) ?? [];
  return [url, ...notes].flatMap((place) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(place)?.[1] ?? []);
}
