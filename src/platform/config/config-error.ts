import { StartFault } from '../errors/index.js';

/** One thing that is wrong with the environment. */
export interface Fault {
  /** The variable to change. */
  readonly name: string;
  /** Why it was refused. Never holds a value: a password may stand in the wrong variable. */
  readonly reason: string;
}

/** The environment cannot be used. Holds every fault, so that one start is enough to see them all. */
export class ConfigError extends StartFault {
  /** EX_CONFIG of sysexits.h. */
  override readonly exitCode = 78;

  readonly faults: readonly Fault[];

  /** @param warnings what looks like a mistake and may be the reason of a fault, each a sentence without values. */
  constructor(faults: readonly Fault[], warnings: readonly string[] = []) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    const lines = faults.map(({ name, reason }) => `  ${name}: ${reason}`);
    const remarks = warnings.map((warning) => `warning: ${warning}`);
    super([`The configuration has ${count}:`, ...lines, ...remarks].join('\n'));
    this.name = 'ConfigError';
    this.faults = Object.freeze([...faults]);
  }
}
