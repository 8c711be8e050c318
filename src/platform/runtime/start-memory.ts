import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
