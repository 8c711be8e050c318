import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './programs.ts';

const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;

/**
 * Starts a program that never outlives this process. On Linux with util-linux the kernel kills it when this process
 * dies for any reason. Elsewhere it is killed only if this process exits in order.
 */
export function spawnTethered(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (setpriv !== undefined) return spawn(setpriv, ['--pdeathsig', 'KILL', '--', command, ...args], options);
  const child = spawn(command, [...args], options);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}

/**
 * Stops a process, and returns when all of its threads have stopped: on Linux they may run on for a moment after the
 * signal.
 */
export function freeze({ pid = 0 }: ChildProcess): void {
  process.kill(pid, 'SIGSTOP');
  const threads = `/proc/${String(pid)}/task`;
  for (const limit = Date.now() + 5000; existsSync(threads);) {
    if (readdirSync(threads).every((thread) => isStopped(join(threads, thread)))) return;
    if (Date.now() > limit) throw new Error(`Process ${String(pid)} does not stop`);
  }
}

function isStopped(thread: string): boolean {
  try {
    return /\) [TZ]/.test(readFileSync(join(thread, 'stat'), 'utf8'));
  } catch {
    // The process has ended.
    return true;
  }
}
