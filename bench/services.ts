import { execFileSync, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/support/ports.ts';
import { findProgram } from '../test/support/programs.ts';
import { spawnTethered } from '../test/support/tethered.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const START_LIMIT_MS = 30_000;

export type PeerName = 'bare' | 'fastify' | 'nest' | 'go' | 'rust';

/** How a service is started, and the form of its cursors. */
export interface Program {
  /** A unique name. */
  readonly name: string;
  readonly title: string;
  /** The working directory. */
  readonly folder: string;
  /** The program. Default: this Node. */
  readonly command?: string;
  readonly args: readonly string[];
  /** Added to the environment of production. */
  readonly env?: NodeJS.ProcessEnv;
  /** How many keys the connections share; 0 if the service requires no key. */
  readonly keys: number;
  /** The cursor of the page after this id, among the pets of one status or among all. */
  readonly cursor: (id: number, status?: string) => string;
}

/** The options with which the image starts Node. */
const [, imageOptions = ''] = /NODE_OPTIONS="([^"]*)"/.exec(readFileSync(join(project, 'Dockerfile'), 'utf8')) ?? [];

/**
 * As in production: compiled, with a JSON log to a pipe, and with limits that are higher than one machine can reach.
 */
export const animalStore: Program = {
  name: 'animal-store',
  title: 'Animal Store',
  folder: project,
  args: ['dist/main.js'],
  env: { NODE_OPTIONS: imageOptions },
  keys: 4,
  cursor: (id, status = '') => Buffer.from(`1:${String(id)}:${status && `status=${status}`}`).toString('base64url'),
};

const peer = { folder: project, keys: 0, cursor: (id: number) => String(id) };
const peers: readonly Program[] = [
  { ...peer, name: 'nest', title: '(c) Nest + TypeORM', args: ['artifacts/bench/nest/main.js'] },
  { ...peer, name: 'fastify', title: '(b) Fastify + mysql2', args: ['bench/peers/fastify.ts'] },
  { ...peer, name: 'bare', title: '(a) node:http + mysql2', args: ['bench/peers/bare.ts'] },
  { ...peer, name: 'go', title: '(d) Go net/http', command: 'artifacts/bench/go/peer', args: [] },
  {
    ...peer,
    name: 'rust',
    title: '(e) Rust axum',
    command: 'artifacts/bench/rust/release/animal-store-peer',
    args: [],
  },
];

/** The compiler of each peer. A machine without the compiler measures without that peer. */
const TOOLCHAINS: Readonly<Record<string, string>> = { go: 'go', rust: 'cargo' };

export const programs: readonly Program[] = [animalStore, ...peers].filter(({ name }) => {
  const toolchain = TOOLCHAINS[name];
  return toolchain === undefined || findProgram(toolchain) !== undefined;
});

/** This service as built in another folder, which differs only in what is compared. */
export function builtIn(folder: string): Program {
  return { ...animalStore, name: folder, title: folder, folder: resolve(folder) };
}

/** This service without one of its optimizations. */
export function without(optimization: string): Program {
  const name = `without ${optimization}`;
  return { ...animalStore, name, title: name, env: { ...animalStore.env, OPTIMIZATIONS_OFF: optimization } };
}

/** This service with another semi-space size in MiB. V8's young generation has up to three semi-spaces. */
export function withSemiSpace(size: string): Program {
  const name = `semi-space of ${size} MiB`;
  const options = imageOptions.replace(/--max-semi-space-size=\d+/, `--max-semi-space-size=${size}`);
  return { ...animalStore, name, title: name, env: { NODE_OPTIONS: options } };
}

export class RunningService {
  readonly program: Program;
  readonly origin: string;
  /** The keys of its clients. Each client has its own rate limit. Empty if the service requires no key. */
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
    const env = { ...environment(databaseUrl), PORT: String(port), ...program.env };
    const keys = Array.from({ length: program.keys }, () => makeKey(env));
    // Another process reads the log, as a container's runtime does, at almost no cost.
    const reader = spawnTethered('cat', [], { stdio: ['pipe', 'ignore', 'ignore'] });
    const child = spawnTethered(program.command ?? process.execPath, program.args, {
      cwd: program.folder,
      env: program.command === undefined ? env : { ...env, ...addressOf(databaseUrl) },
      stdio: ['ignore', reader.stdin ?? 'ignore', 'inherit'],
    });
    // Now only the service holds the pipe, so the reader ends with the service.
    reader.stdin?.destroy();
    const service = new RunningService(program, child, `http://127.0.0.1:${String(port)}`, keys);
    await service.#untilItAnswers();
    return service;
  }

  /** The headers of every request on the nth connection. */
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

/** Compiles the peers that Node cannot run directly, for example that with Nest's decorators. */
export function buildPeers(entrants: readonly Program[]): void {
  const has = (wanted: PeerName): boolean => entrants.some(({ name }) => name === wanted);
  const run = (program: string, args: readonly string[], folder = project): void => {
    execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  };
  if (has('nest')) run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'bench/peers/nest']);
  const out = join(project, 'artifacts/bench');
  if (has('go')) run('go', ['build', '-o', join(out, 'go/peer'), '.'], join(project, 'bench/peers/go'));
  const cargo = ['build', '--release', '--quiet', '--target-dir', join(out, 'rust')];
  if (has('rust')) run('cargo', cargo, join(project, 'bench/peers/rust'));
}

/** Creates the schema, which the peers use too. */
export function migrate(databaseUrl: string): void {
  runCommand(environment(databaseUrl), ['migrate']);
}

/** Fills the table `pet`, and shows the progress. */
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

/** The database's address for peers that do not parse a URL. */
function addressOf(databaseUrl: string): NodeJS.ProcessEnv {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl);
  return {
    DATABASE_HOST: hostname,
    DATABASE_PORT: port,
    DATABASE_USER: decodeURIComponent(username),
    DATABASE_PASSWORD: decodeURIComponent(password),
    DATABASE_NAME: pathname.slice(1),
  };
}

/** The environment of production on this machine. */
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
