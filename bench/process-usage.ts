import { readFileSync } from 'node:fs';

/** /proc counts CPU time in ticks of this length, whatever the kernel does: `getconf CLK_TCK`. */
const MICROSECONDS_PER_TICK = 10_000;

/** CPU time of a whole process so far, all threads, in microseconds. */
export function cpuMicrosOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MICROSECONDS_PER_TICK;
}

/** Resident memory, in MiB. */
export function residentMiBOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024);
}
