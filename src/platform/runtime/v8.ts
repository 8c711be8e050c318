// Imported as a namespace, so that an old Node without this function can still report it.
import * as module from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * While a process rests, V8 collects what only requests have, among it the shapes of their objects, and throws away the
 * machine code that knew those. The first flag has it collect then as at any other time, the second has it keep a shape for a
 * hundred collections in which nobody had it. Why: docs/decisions/0019-request-path.md.
 */
const V8_FLAGS = ['--no-memory-reducer-favors-memory', '--retain-maps-for-n-gc=100'];
/** The V8 of Node 24. Another may not know them, and would say so on stderr. */
const TRIED_WITH = '13.6.';

/** Has V8 keep compiled code in memory while the process rests. */
export function keepCodeAtRest(): void {
  if (process.versions.v8.startsWith(TRIED_WITH)) for (const flag of V8_FLAGS) setFlagsFromString(flag);
}

/** Has stacks say `src/pets/pets.service.ts:28` where the program is a bundle, by the maps that its build leaves beside it. */
export function mapStacks(): void {
  module.setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
}

/**
 * Keeps compiled code: in memory while the process rests, and on the disk, beside the packages, which spares the next
 * start some of its CPU time. In this package's own folder, since whoever could write the cache could change the
 * program. A folder that cannot be written is no fault.
 */
export function keepCompiledCode(): void {
  // Before any code is loaded: what the cache has is good only under the flags that it was made under.
  keepCodeAtRest();
  module.enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/animal-store', import.meta.url)));
}

type Collect = (how: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/**
 * Gives back the memory that only the start needed. By itself V8 does that while a process rests, but first after a full
 * collection, to which a service that is asked little never comes: on Node 24 it stays at 150 MB, with this at 117.
 *
 * It stops the event loop for some 60 ms, so it belongs before the first request.
 */
export function giveBackStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  // Back at once: V8 takes code from the compile cache only under the flags that it was kept under.
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
