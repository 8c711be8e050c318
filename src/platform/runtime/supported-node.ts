import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { exitCodeOf, onStopSignal } from './stop-signals.js';

const FIRST_SUPPORTED = 24;

/**
 * On an older Node, runs the same command on the Node 24 of the package `node`, installed here or beside this package.
 * This process then only passes signals and the exit code on. An old Node has no exact JSON numbers. On a supported
 * Node, resolves at once.
 */
export async function useSupportedNode(): Promise<void> {
  if (isSupported(process.versions.node)) return endWithParent();
  const node = installedNode();
  if (node === undefined) {
    process.stderr.write(
      `Animal Store needs Node.js ${FIRST_SUPPORTED} or newer; this is ${process.version}. In a folder of your own, ` +
        `'npm install --save-dev node@${FIRST_SUPPORTED}' brings one; 'npx' takes '--package node@${FIRST_SUPPORTED}'.\n`,
    );
    process.exit(1);
  }
  // In a separate process group: a terminal signals the whole group, so the child would get one Ctrl-C twice.
  const child = spawn(node, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached: true,
    env: { ...process.env, ANIMAL_STORE_CHILD: 'true' },
  });
  let isStopped = false;
  onStopSignal((signal) => (isStopped = child.kill(signal)));
  process.on('SIGQUIT', () => child.kill('SIGQUIT'));
  const isService = process.argv.length === 2;
  await new Promise<never>((_resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      // A signal ended the child, for example before it had a listener.
      if (signal !== null) process.exit(isStopped && isService ? 0 : exitCodeOf(signal));
      process.exit(code ?? 1);
    });
  });
}

/**
 * In a child of an older Node, stops the process in order when that parent is gone. A killed parent passes no signal
 * on.
 */
function endWithParent(): void {
  if (process.env.ANIMAL_STORE_CHILD === undefined) return;
  delete process.env.ANIMAL_STORE_CHILD;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel must not keep a command alive that has finished.
  process.channel?.unref();
}

/** The path of the package's Node; undefined if the package is not installed, as in production, or is too old. */
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
