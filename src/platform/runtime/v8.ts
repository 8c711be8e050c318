// A namespace import, so that an old Node without these functions can still load this file and report its version.
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * While a process rests, V8 collects what only requests use. That includes the hidden classes of their objects, and
 * with them the machine code that depends on them. With the first flag V8 collects as at any other time. With the
 * second flag it keeps an unused hidden class for a hundred collections. Why: docs/decisions/0019-request-path.md.
 */
const V8_FLAGS = ['--no-memory-reducer-favors-memory', '--retain-maps-for-n-gc=100'];
/** The V8 of Node 24. Another version may not know the flags, and would print a warning on stderr. */
const TRIED_WITH = '13.6.';

/** Makes V8 keep compiled code in memory while the process rests. Does nothing on the V8 of another Node. */
export function keepCodeAtRest(): void {
  if (process.versions.v8.startsWith(TRIED_WITH)) for (const flag of V8_FLAGS) setFlagsFromString(flag);
}

/** Makes the stacks of a bundle name sources, such as `src/pets/pets.service.ts:28`, by the source maps beside it. */
export function mapStacks(): void {
  module.setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
}

/**
 * Keeps compiled code in memory while the process rests, and on disk, which saves CPU time at the next start. The cache
 * is in this package's own `node_modules`, because whoever can write the cache can change the program. If the folder is
 * not writable, there is no cache.
 */
export function keepCompiledCode(): void {
  // Must come first: the cache is valid only under the flags with which it was written.
  keepCodeAtRest();
  module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/animal-store', import.meta.url)));
}

type Collect = (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/**
 * Frees the memory that only the start needed. V8 itself does so while a process rests, but only after a full
 * collection, which a service with few requests never reaches. On Node 24 it then stays at 150 MB, and at 117 MB with
 * this call.
 *
 * It stops the event loop for about 60 ms, so it must be called before the first request.
 */
export function giveBackStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  // Reset at once: V8 uses the compile cache only under the flags with which it was written.
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
