import { exitCodeOf, onStopSignal, type StopSignal } from '../platform/runtime/index.js';
import { StartFault } from '../platform/start-fault.js';

class Interrupted extends StartFault {
  override readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(`Stopped by ${signal}: what was under way is done, and nothing more is begun. Run it again for the rest.`);
    this.name = 'Interrupted';
    this.exitCode = exitCodeOf(signal);
  }
}

/**
 * Aborted by Ctrl-C, SIGTERM or SIGHUP, for a command that ends in order what it has begun. The second one ends the process at
 * once, as it would have without this.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  onStopSignal((signal) => {
    onStopSignal((again) => process.exit(exitCodeOf(again)));
    controller.abort(new Interrupted(signal));
  });
  return controller.signal;
}
