import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

const FIRST_SUPPORTED = 24;
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * On an older Node, runs the same command on the Node 24 that the package `node` brings, installed here or beside this
 * package, and becomes a shell around it: an old Node has no exact JSON numbers. Resolves at once on a supported one.
 */
export async function useSupportedNode(): Promise<void> {
  if (isSupported(process.versions.node)) return;
  const node = installedNode();
  if (node === undefined) {
    process.stderr.write(
      `Animal Store needs Node.js ${FIRST_SUPPORTED} or newer; this is ${process.version}. In a folder of your own, ` +
        `'npm install --save-dev node@${FIRST_SUPPORTED}' brings one; 'npx' takes '--package node@${FIRST_SUPPORTED}'.\n`,
    );
    process.exit(1);
  }
  // In a group of its own: a terminal signals all of one, so that with the signal passed on one Ctrl-C would be two.
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit', detached: true });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  await new Promise<never>((_resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
  });
}

/** Where that package is; undefined where there is none, as in production, or one that is as old. */
function installedNode(): string | undefined {
  const find = createRequire(import.meta.url);
  try {
    const { version } = find('node/package.json') as { version: string };
    return isSupported(version) ? find.resolve('node/bin/node') : undefined;
  } catch {
    return undefined;
  }
}

function isSupported(version: string): boolean {
  return Number.parseInt(version, 10) >= FIRST_SUPPORTED;
}
