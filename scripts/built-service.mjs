import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { builtProgram, emptyFolder, programEnvironment } from '../test/support/command.ts';
import { removeScratch } from '../test/support/scratch.ts';
import { spawnTethered } from '../test/support/tethered.ts';

/**
 * Starts the built service in development mode on an empty database in memory.
 *
 * @param env additional variables.
 * @returns its URL without `/v1`, its first key, and a function to stop it, which `await using` calls.
 */
export async function startService(env = {}) {
  const child = spawnTethered(process.execPath, [builtProgram('main.js')], {
    cwd: emptyFolder,
    env: programEnvironment('sqlite::memory:', { NODE_ENV: 'development', HOST: '127.0.0.1', ...env }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let url, key;
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /"url":"([^"]+)"/.exec(line)?.[1];
    key ??= /as_test_\w+/.exec(line)?.[0];
    if (url !== undefined && key !== undefined) break;
  }
  if (key === undefined) throw new Error('The service did not start; where PORT is set, is that port free?');
  child.stdout.resume();
  const stop = async () => {
    child.kill();
    await closed;
    removeScratch(emptyFolder);
  };
  return { url, key, [Symbol.asyncDispose]: stop };
}
