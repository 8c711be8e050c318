import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { exitCodeOf, onStopSignal } from './stop-signals.js';

const FIRST_SUPPORTED = 24;

/**
 * On an older Node, runs the same command on the Node 24 that the package `node` brings, installed here or beside this
 * package, and becomes a shell around it: an old Node has no exact JSON numbers. Resolves at once on a supported one.
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
  // In a group of its own: a terminal signals all of one, so that with the signal passed on one Ctrl-C would be two.
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
      // One that was stopped before it could listen.
      if (signal !== null) process.exit(isStopped && isService ? 0 : exitCodeOf(signal));
      process.exit(code ?? 1);
    });
  });
}

/** Ends what an older Node started, in order, once that is gone: killed, it passes no signal on. */
function endWithParent(): void {
  if (process.env.ANIMAL_STORE_CHILD === undefined) return;
  delete process.env.ANIMAL_STORE_CHILD;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // It is no work, so a command ends without it.
  process.channel?.unref();
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
