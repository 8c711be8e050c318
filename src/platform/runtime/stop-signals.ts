import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** The signals that ask a process to end. SIGHUP comes when its terminal closes. */
const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

let listener: ((signal: StopSignal) => void) | undefined;

/**
 * Calls `next` for each signal that asks the process to end. It replaces the previous listener.
 *
 * The first call must come before any other code: process 1 of a container does not receive a signal without a
 * listener.
 */
export function onStopSignal(next: (signal: StopSignal) => void): void {
  if (listener === undefined) for (const signal of STOP_SIGNALS) process.on(signal, () => listener?.(signal));
  listener = next;
}

/**
 * Exits at the first stop signal: a service, which serves nobody yet, with 0, and a command with `exitCodeOf`. Must be
 * the first call of a program.
 */
export function endOnStopSignal(isService: boolean): void {
  // The kernel itself ends a command that is not process 1. Its shell then knows that it was Ctrl-C.
  if (!isService && process.pid !== 1) return;
  const end = (signal: StopSignal): void => process.exit(isService ? 0 : exitCodeOf(signal));
  if (process.pid === 1 && sigtermCame()) end('SIGTERM');
  onStopSignal(end);
}

/**
 * Whether SIGTERM came while Node itself started. At that time Node listens to SIGTERM and SIGINT once, to reset the
 * terminal and raise the signal again. Process 1 does not receive the raised signal. Afterwards the kernel lists a
 * listener for the other signal only.
 */
function sigtermCame(): boolean {
  try {
    const caught = /^SigCgt:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    const isCaught = (signal: StopSignal): boolean =>
      ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
    return isCaught('SIGINT') && !isCaught('SIGTERM');
  } catch {
    // Without Linux there is no /proc.
    return false;
  }
}

/** The exit code for a signal by the convention of shells: 128 plus the number of the signal. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}
