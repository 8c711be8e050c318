import { ConfigError } from '../config/index.js';
import { FeatureError } from '../feature-check/index.js';
import type { Application } from './application.js';
import { ListenError } from './listen.js';

/** sysexits(3) EX_CONFIG. */
const EXIT_CONFIG = 78;
/** Milliseconds that a process with an unknown fault has to finish what it is doing. */
const CRASH_DRAIN_MS = 5000;

/** Runs `work`; what stops it is told on stderr in plain words, with exit 78 for a fault of the configuration. */
export async function exitOnFault(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ConfigError || error instanceof FeatureError || error instanceof ListenError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(error instanceof ConfigError ? EXIT_CONFIG : 1);
    }
    process.stderr.write(
      `The service could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(1);
  }
}

/** SIGTERM and SIGINT stop the application: exit 0 when nothing was lost, 1 when requests had to be cut off. */
export function stopOnSignal(application: Application): void {
  let stopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    // A second SIGTERM must not abort a drain; a second Ctrl-C is a person who will not wait.
    if (stopping && signal === 'SIGTERM') return;
    if (stopping) process.exit(130);
    stopping = true;
    application.stop().then(
      (whole) => process.exit(whole ? 0 : 1),
      () => process.exit(1),
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

/** A fault that nobody caught leaves the process in a state that nobody knows: one line, a short drain, exit 1. */
export function crashOnUnknownFault(application: Application): void {
  let crashing = false;
  const crash = (error: unknown): void => {
    if (crashing) return;
    crashing = true;
    application.log.fatal({ event: 'app.crashed', err: error }, 'An unknown fault; stopping');
    setTimeout(() => process.exit(1), CRASH_DRAIN_MS);
    const exit = (): void => process.exit(1);
    application.stop().then(exit, exit);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
