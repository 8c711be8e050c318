import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FIRST_SUPPORTED = 24;
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * On an older Node, runs the same command on the Node 24 that the packages bring, and becomes a shell around it: an old
 * Node has no exact JSON numbers. Resolves at once on a supported one.
 */
export async function useSupportedNode(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) >= FIRST_SUPPORTED) return;
  const node = fileURLToPath(new URL('../../../node_modules/node/bin/node', import.meta.url));
  if (!existsSync(node)) {
    process.stderr.write(`Animal Store needs Node.js ${FIRST_SUPPORTED} or newer; this is ${process.version}.\n`);
    process.exit(1);
  }
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  await new Promise<never>((_resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
  });
}
