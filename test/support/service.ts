import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { afterAll } from '@jest/globals';
import { builtProgram, emptyFolder, type Environment, programEnvironment, runCommand } from './command.js';
import { spawnTethered } from './tethered.js';

const READY_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 30_000;

export type LogLine = Readonly<Record<string, unknown>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceOptions {
  readonly database: { readonly url: string };
  /** Overrides the defaults of `programEnvironment`; `undefined` unsets a variable. */
  readonly env?: Environment;
  /** The path of the program. Default: `dist/main.js`. */
  readonly program?: string;
  /** The path of the program that runs commands. Default: `dist/cli.js`. */
  readonly commands?: string;
  /** The path of Node. Default: the Node that runs the tests. */
  readonly node?: string;
}

export interface KeyOptions {
  readonly name?: string;
  readonly scopes?: readonly string[];
  /** ISO 8601. */
  readonly expiresAt?: string;
}

const running = new Set<Service>();

afterAll(async () => {
  await Promise.all([...running].map((service) => service.kill('SIGKILL')));
});

/**
 * The service as a separate process, as an operator runs it. If a test does not stop it, it is killed after the test's
 * file.
 */
export class Service {
  readonly #child: ChildProcess;
  readonly #options: ServiceOptions;
  readonly #arrivals = new EventEmitter();
  readonly #log: LogLine[] = [];
  #output = '';
  #unfinishedLine = '';

  /** Resolves when the process has ended. */
  readonly exited: Promise<Exit>;
  /** `http://127.0.0.1:PORT`, without `/v1`. Known once `ready` resolves, like `managementUrl`. */
  url = '';
  managementUrl = '';

  private constructor(options: ServiceOptions) {
    this.#options = options;
    this.#child = spawnTethered(options.node ?? process.execPath, [options.program ?? builtProgram('main.js')], {
      cwd: emptyFolder,
      env: programEnvironment(options.database.url, options.env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#take(text);
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#output += text));
    this.exited = new Promise((resolve, reject) => {
      this.#child.once('error', reject);
      this.#child.once('close', (code, signal) => {
        running.delete(this);
        resolve({ code, signal });
        this.#arrivals.emit('end');
      });
    });
    running.add(this);
  }

  /** Starts the service and waits until it is ready. Rejects with its output if it ends before. */
  static async start(options: ServiceOptions, limitMs = READY_LIMIT_MS): Promise<Service> {
    const service = Service.launch(options);
    const ready = await service.untilLogged((line) => line['event'] === 'app.ready', limitMs);
    service.url = String(ready['url']);
    service.managementUrl = String(ready['management_url']);
    return service;
  }

  /** Starts the service without waiting, for tests of starts that fail. */
  static launch(options: ServiceOptions): Service {
    return new Service(options);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Every line of stdout so far that is a JSON object. */
  get log(): readonly LogLine[] {
    return this.#log;
  }

  /** All output of the process so far, stdout and stderr in the order of arrival. */
  get output(): string {
    return this.#output;
  }

  /**
   * The first log line, past or future, for which `matches` is true. Rejects after `limitMs` milliseconds, or when the
   * process ends.
   */
  async untilLogged(matches: (line: LogLine) => boolean, limitMs = 60_000): Promise<LogLine> {
    const deadline = Date.now() + limitMs;
    for (;;) {
      const found = this.#log.find(matches);
      if (found !== undefined) return found;
      if (!running.has(this)) throw new Error(`The service ended too early.\n${this.#output}`);
      const left = deadline - Date.now();
      if (left <= 0) {
        await this.kill('SIGKILL');
        throw new Error(`The service did not log what was awaited within ${String(limitMs)} ms.\n${this.#output}`);
      }
      await this.#nextArrival(left);
    }
  }

  /** Creates a key by the command line, in the environment of the service, and returns it. */
  async createKey(key: KeyOptions = {}): Promise<string> {
    const args = ['keys', 'create', '--name', key.name ?? 'test'];
    if (key.scopes !== undefined) args.push('--scopes', key.scopes.join(','));
    if (key.expiresAt !== undefined) args.push('--expires-at', key.expiresAt);
    const { database, env, commands } = this.#options;
    const { code, stdout, stderr } = await runCommand(database, args, env, commands);
    if (code !== 0) throw new Error(`keys create ended with ${String(code)}\n${stdout}${stderr}`);
    return stdout.trim();
  }

  /** Sends SIGTERM, as an orchestrator does. Rejects with the output if the process had ended before. */
  async stop(): Promise<Exit> {
    if (!running.has(this)) {
      throw new Error(`The service had ended by itself: ${JSON.stringify(await this.exited)}\n${this.#output}`);
    }
    const limit = setTimeout(() => this.#child.kill('SIGKILL'), STOP_LIMIT_MS);
    const exit = await this.kill('SIGTERM');
    clearTimeout(limit);
    if (exit.signal === 'SIGKILL') {
      throw new Error(`The service did not stop within ${String(STOP_LIMIT_MS)} ms.\n${this.#output}`);
    }
    // The process was already dying when SIGTERM came.
    if (exit.signal !== null) throw new Error(`The service was ended by ${exit.signal}.\n${this.#output}`);
    return exit;
  }

  /** Sends a signal and waits for the end of the process. */
  async kill(signal: NodeJS.Signals): Promise<Exit> {
    this.signal(signal);
    return this.exited;
  }

  /** Sends a signal, for example SIGSTOP, without waiting. */
  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #take(text: string): void {
    this.#output += text;
    const lines = (this.#unfinishedLine + text).split('\n');
    this.#unfinishedLine = lines.pop() ?? '';
    this.#log.push(...lines.map(asLogLine).filter((line) => line !== undefined));
    this.#arrivals.emit('lines');
  }

  #nextArrival(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#arrivals.off('lines', done).off('end', done);
        resolve();
      };
      const timer = setTimeout(done, limitMs);
      this.#arrivals.on('lines', done).on('end', done);
    });
  }
}

/** Log lines above `info`, without those that only report a busy machine. */
export function complaintsIn(log: readonly LogLine[]): readonly LogLine[] {
  return log.filter(({ level, event }) => level !== 'info' && event !== 'loop.blocked');
}

function asLogLine(text: string): LogLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as LogLine) : undefined;
  } catch {
    return undefined;
  }
}
