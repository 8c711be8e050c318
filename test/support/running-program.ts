import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program of Node that starts other programs and runs until it is stopped, like `npm run dev`. */
export class RunningProgram {
  #printed = '';

  private constructor(private readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#printed += text));
    }
  }

  static start(folder: string, args: readonly string[], env: NodeJS.ProcessEnv): RunningProgram {
    // It leads its own process group, so that all that it started ends with it.
    return new RunningProgram(
      spawn(process.execPath, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  /** The first group of a pattern in the output. Rejects with all of the output if the program ends before. */
  async untilPrinted(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = pattern.exec(this.#printed)?.[1];
      if (found !== undefined) return found;
      if (this.child.exitCode !== null || this.child.signalCode !== null) throw new Error(this.#printed);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Discards the output so far. */
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
