import { readFileSync } from 'node:fs';
import { residentBytes } from '../test/support/process-size.ts';

/** /proc counts CPU time in ticks of this length on every kernel: `getconf CLK_TCK`. */
const MICROSECONDS_PER_TICK = 10_000;

/** CPU time of all threads of a process so far, in microseconds. */
export function cpuMicrosOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}

/** Resident memory, in MiB. */
export function residentMiBOf(pid: number | undefined): number {
  return Math.round(residentBytes(pid ?? 0) / 1024 ** 2);
}
