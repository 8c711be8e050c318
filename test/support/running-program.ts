import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program of Node's that starts others and runs until it is stopped, as those of development do. */
export class RunningProgram {
  #printed = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#printed += text));
    }
  }

  static start(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): RunningProgram {
    // A group of its own, which ends with all that it started.
    return new RunningProgram(
      spawn(process.execPath, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  /** The first group of a pattern in what is printed. Rejects with all of it when the program ends before. */
  async untilPrinted(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#printed)?.[1];
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(this.#printed);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Forgets what was printed so far. */
  forget(): void {
    this.#printed = '';
  }

  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = once(this.child, 'close');
    process.kill(-pid, 'SIGKILL');
    await ended;
  }
}
