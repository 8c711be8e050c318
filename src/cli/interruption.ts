import { StartFault } from '../platform/start-fault.js';

/** 128 and the number of the signal, as a shell has it. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

class Interrupted extends StartFault {
  override readonly exitCode: number;

  constructor(signal: keyof typeof EXIT_CODES) {
    super(`Stopped by ${signal}: what was under way is done, and nothing more is begun. Run it again for the rest.`);
    this.name = 'Interrupted';
    this.exitCode = EXIT_CODES[signal];
  }
}

/**
 * Aborted by Ctrl-C or SIGTERM, for a command that ends in order what it has begun. The second one ends the process at
 * once, as it would have without this.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(new Interrupted(signal)));
  }
  return controller.signal;
}
