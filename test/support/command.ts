import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from './scratch.ts';
import { spawnTethered } from './tethered.ts';

export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** One of the project's built programs, `main.js` or `cli.js`. */
export function builtProgram(name: string): string {
  const path = join(projectFolder, 'dist', name);
  if (!existsSync(path)) throw new Error(`${path} is not built: npm run build`);
  return path;
}

/**
 * What a program of ours is started with: nothing of the test's own environment but what any process needs, so that a
 * setting on a developer's machine does not change a test.
 */
export function programEnvironment(databaseUrl: string, env: Environment = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_ENV: 'test',
    PORT: '0',
    MANAGEMENT_PORT: '0',
    LOG_FORMAT: 'json',
    // A machine that is busy with other tests is late as an overloaded one is; what tests shedding turns it on.
    SHED_LOOP_DELAY_MS: '0',
    DATABASE_URL: databaseUrl,
    // The tests hold for the plain way too.
    OPTIMIZATIONS_OFF: process.env['TEST_OPTIMIZATIONS_OFF'],
    ...env,
  };
}

/**
 * What a test gives a program that must answer every request: a machine that stands still for a second, as a busy one does,
 * is not what such a test is about.
 */
export const PATIENT = {
  DATABASE_ACQUIRE_TIMEOUT_MS: '10000',
  DATABASE_CONNECT_TIMEOUT_MS: '10000',
  DATABASE_QUERY_TIMEOUT_MS: '10000',
  REQUEST_DEADLINE_MS: '20000',
  SHED_MAX_INFLIGHT: '0',
};

/** An empty folder to start programs in: a `.env` or `data/` of the project's must not reach a test, nor be made by one. */
export const emptyFolder = scratchFolder('cwd');

/** Runs `node dist/cli.js ARGS`, or another program with these arguments, to its end. */
export function runCommand(
  database: { readonly url: string },
  args: readonly string[],
  env: Environment = {},
  program = builtProgram('cli.js'),
): Promise<CommandResult> {
  const child = spawnTethered(process.execPath, [program, ...args], {
    cwd: emptyFolder,
    env: programEnvironment(database.url, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, ...output });
    });
  });
}
