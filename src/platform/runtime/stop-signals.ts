import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** What asks a process to end. SIGHUP comes when its terminal closes. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

let listener: ((signal: StopSignal) => void) | undefined;

/**
 * Has `next` called for each signal that asks the process to end, in place of what was called before.
 *
 * The first call belongs before any other code: process 1 of a container does not get a signal that it does not listen to.
 */
export function onStopSignal(next: (signal: StopSignal) => void): void {
  if (listener === undefined) for (const signal of STOP_SIGNALS) process.on(signal, () => listener?.(signal));
  listener = next;
}

/**
 * Ends the process at its first signal: a service that serves nobody yet with 0, a command as its shell would see it. The first thing
 * that a program does.
 */
export function endOnStopSignal(isService: boolean): void {
  // The kernel ends any other process than 1 itself, and a shell then knows that it was Ctrl-C.
  if (!isService && process.pid !== 1) return;
  const end = (signal: StopSignal): void => process.exit(isService ? 0 : exitCodeOf(signal));
  if (process.pid === 1 && sigtermCame()) end('SIGTERM');
  onStopSignal(end);
}

/**
 * Whether SIGTERM came while Node itself started. Node listens to SIGTERM and SIGINT then, once, to reset the terminal and raise
 * the signal again, which process 1 does not get: afterwards the kernel has a listener to the other one alone.
 */
function sigtermCame(): boolean {
  try {
    const caught = /^SigCgt:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    const isCaught = (signal: StopSignal): boolean =>
      ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
    return isCaught('SIGINT') && !isCaught('SIGTERM');
  } catch {
    // No Linux.
    return false;
  }
}

/** 128 and the number of the signal, as a shell has it. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
