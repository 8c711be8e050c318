import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Bytes of memory that a process holds (VmRSS). */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1];
  if (kilobytes === undefined) throw new Error(`Process ${String(pid)} has no VmRSS`);
  return Number(kilobytes) * 1024;
}

/** How many file descriptors a process has open. */
export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${String(pid)}/fd`).length;
}

/** Sets the limit of a running process, as `ulimit -n` does before a start. */
export async function limitDescriptors(pid: number, limit: number): Promise<void> {
  await run('prlimit', ['--pid', String(pid), `--nofile=${String(limit)}:${String(limit)}`]);
}
