import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'redis';
import type { CertificateAuthority } from './certificates.js';
import { accepts, freePort } from './ports.js';
import { findProgram } from './programs.js';
import { removeScratch, scratchFolder } from './scratch.js';
import { freeze, spawnTethered } from './tethered.js';

const START_LIMIT_MS = 60_000;
/** Lets a test set the data folder to one that cannot be written to. */
const PROTECTED = { 'enable-protected-configs': 'local' };

/** One Redis server on a free port of 127.0.0.1, without persistence. */
export class Redis {
  readonly #folder = scratchFolder('redis');
  readonly #port: number;
  #process: ChildProcess | undefined;

  private constructor(
    port: number,
    private readonly authority: CertificateAuthority | undefined,
  ) {
    this.#port = port;
  }

  /** @param authority signs its certificate. With it the server speaks only TLS. */
  static async start(authority?: CertificateAuthority): Promise<Redis> {
    const redis = new Redis(await freePort(), authority);
    await redis.launch();
    return redis;
  }

  get url(): string {
    return `${this.authority === undefined ? 'redis' : 'rediss'}://127.0.0.1:${String(this.#port)}`;
  }

  /** Starts the server, also after `kill`, and waits until it accepts connections. */
  async launch(): Promise<void> {
    const binary = findProgram('redis-server');
    if (binary === undefined) throw new Error('No redis-server here: node scripts/setup-test-machine.mjs');
    const settings = {
      ...this.#listening(),
      bind: '127.0.0.1',
      save: '',
      appendonly: 'no',
      dir: this.#folder,
      ...PROTECTED,
    };
    const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const child = spawnTethered(binary, args, { stdio: 'ignore' });
    this.#process = child;
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await accepts(this.#port))) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${binary} did not start`);
      await sleep(20);
    }
  }

  /** Runs commands, one after another, as an administrator does. */
  async command(...commands: readonly (readonly string[])[]): Promise<void> {
    await this.#connected(async (client) => {
      for (const command of commands) await client.sendCommand([...command]);
    });
  }

  keys(): Promise<string[]> {
    return this.#connected((client) => client.keys('*'));
  }

  async #connected<T>(work: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> {
    const tls = this.authority && { socket: { tls: true, ca: readFileSync(this.authority.certificate) } as const };
    const client: ReturnType<typeof createClient> = createClient({ url: this.url, ...tls });
    await client.connect();
    try {
      return await work(client);
    } finally {
      client.destroy();
    }
  }

  #listening(): Record<string, string> {
    const port = String(this.#port);
    if (this.authority === undefined) return { port };
    const { certificate, key } = this.authority.issue('IP:127.0.0.1');
    const files = { 'tls-cert-file': certificate, 'tls-key-file': key, 'tls-ca-cert-file': this.authority.certificate };
    return { port: '0', 'tls-port': port, 'tls-auth-clients': 'no', ...files };
  }

  /** Kills the server, as a failure of its machine would. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await exited;
  }

  /** The server hangs until `resume`: its sockets stay open and nothing answers. */
  pause(): void {
    if (this.#process !== undefined) freeze(this.#process);
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    removeScratch(this.#folder);
  }
}
