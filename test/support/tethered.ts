import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { findProgram } from './programs.ts';

const setpriv = process.platform === 'linux' ? findProgram('setpriv') : undefined;

/**
 * Starts a program that never outlives this process: the kernel kills it when this process dies, however that comes
 * about (Linux with util-linux). Elsewhere it is killed at this process's orderly exit only.
 */
export function spawnTethered(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  if (setpriv !== undefined) return spawn(setpriv, ['--pdeathsig', 'KILL', '--', command, ...args], options);
  const child = spawn(command, [...args], options);
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  return child;
}
