import { execFileSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/ports.ts';
import { spawnTethered } from '../test/support/tethered.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const START_LIMIT_MS = 30_000;

export type ServiceName = 'animal-store' | 'beside' | 'bare' | 'fastify' | 'nest';

/** How a service is started, and what it takes for a cursor. */
export interface Program {
  readonly name: ServiceName;
  readonly title: string;
  /** Where it is started. */
  readonly folder: string;
  readonly args: readonly string[];
  /** Keys that the connections share; none where it asks for no key. */
  readonly keys: number;
  /** The cursor of the page after this id. */
  readonly cursor: (id: number) => string;
}

/** As production runs it: compiled, json log to a pipe that someone reads, limits on, but above what one machine sends. */
export const animalStore: Program = {
  name: 'animal-store',
  title: 'Animal Store',
  folder: project,
  args: ['dist/main.js'],
  keys: 4,
  cursor: (id) => Buffer.from(`1:${String(id)}:`).toString('base64url'),
};

const peer = { folder: project, keys: 0, cursor: String };
const peers: readonly Program[] = [
  { ...peer, name: 'nest', title: '(c) Nest + TypeORM', args: ['artifacts/bench/nest/main.js'] },
  { ...peer, name: 'fastify', title: '(b) Fastify + mysql2', args: ['bench/peers/fastify.ts'] },
  { ...peer, name: 'bare', title: '(a) node:http + mysql2', args: ['bench/peers/bare.ts'] },
];

export const programs: readonly Program[] = [animalStore, ...peers];

/** This service as it is built in another folder, which is as this one is but for what is to be compared. */
export function builtIn(folder: string): Program {
  return { ...animalStore, name: 'beside', title: folder, folder: resolve(folder) };
}

/** A service that runs, and what it has used so far. */
export class RunningService {
  readonly program: Program;
  readonly origin: string;
  /** Of its clients, each of which has a rate limit of its own; none where a service asks for no key. */
  readonly keys: readonly string[];
  readonly #child: ChildProcess;

  private constructor(program: Program, child: ChildProcess, origin: string, keys: readonly string[]) {
    this.program = program;
    this.#child = child;
    this.origin = origin;
    this.keys = keys;
  }

  static async start(program: Program, databaseUrl: string): Promise<RunningService> {
    const port = await freePort();
    const env = { ...environment(databaseUrl), PORT: String(port) };
    const keys = Array.from({ length: program.keys }, () => makeKey(env));
    // Someone takes the log, as a container's runtime does, for next to nothing.
    const reader = spawnTethered('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    const child = spawnTethered(process.execPath, program.args, {
      cwd: program.folder,
      env,
      stdio: ['ignore', reader.stdin ?? 'ignore', 'inherit'],
    });
    // The service alone holds it from here on, so the reader ends with it.
    reader.stdin?.destroy();
    const service = new RunningService(program, child, `http://127.0.0.1:${String(port)}`, keys);
    await service.#untilItAnswers();
    return service;
  }

  /** What the nth connection sends with every request. */
  headersOf(connection: number): Record<string, string> {
    const key = this.keys[connection % this.keys.length];
    return key === undefined ? {} : { Authorization: `Bearer ${key}` };
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    if (this.#child.kill('SIGTERM')) await exited;
  }

  async #untilItAnswers(): Promise<void> {
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      const answer = await fetch(`${this.origin}/v1/pets?limit=1`, { headers: this.headersOf(0) }).catch(
        () => undefined,
      );
      if (answer?.ok === true) return;
      if (Date.now() > deadline || this.#child.exitCode !== null) {
        throw new Error(`${this.program.title} does not answer (${String(answer?.status)})`);
      }
      await sleep(50);
    }
  }
}

/** Compiles the peer whose decorators Node cannot strip. */
export function buildPeers(): void {
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'bench/peers/nest'], { cwd: project });
}

/** Brings the schema, which the peers use too. */
export function migrate(databaseUrl: string): void {
  runCommand(environment(databaseUrl), ['migrate']);
}

/** Fills the table `pet`, and shows how far it is. */
export function seed(databaseUrl: string, count: number): void {
  runCommand(environment(databaseUrl), ['seed', '--count', String(count)], false);
}

function makeKey(env: NodeJS.ProcessEnv): string {
  return runCommand(env, ['keys', 'create', '--name', 'bench']).trim();
}

function runCommand(env: NodeJS.ProcessEnv, args: readonly string[], quiet = true): string {
  return execFileSync(process.execPath, ['dist/main.js', ...args], {
    cwd: project,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', quiet ? 'pipe' : 'inherit'],
  });
}

/** What production is started with here. */
export function environment(databaseUrl: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    DATABASE_TLS_MODE: 'disable',
    PUBLIC_BASE_URL: 'http://localhost:3000/v1',
    MANAGEMENT_PORT: '0',
    HOST: '127.0.0.1',
    RATE_LIMIT_PER_MINUTE: '1000000',
    SHED_LOOP_DELAY_MS: '0',
    LOG_FORMAT: 'json',
  };
}
