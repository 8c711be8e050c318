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

/** The path of one of the project's built programs, `main.js` or `cli.js`. */
export function builtProgram(name: string): string {
  const path = join(projectFolder, 'dist', name);
  if (!existsSync(path)) throw new Error(`${path} is not built: npm run build`);
  return path;
}

/**
 * The environment of every program that a test starts. It takes only PATH and HOME from the test's own environment, so
 * that a setting on a developer's machine does not change a test.
 */
export function programEnvironment(databaseUrl: string, env: Environment = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_ENV: 'test',
    PORT: '0',
    MANAGEMENT_PORT: '0',
    LOG_FORMAT: 'json',
    // A machine that is busy with other tests looks overloaded. Tests of load shedding turn it on.
    SHED_LOOP_DELAY_MS: '0',
    DATABASE_URL: databaseUrl,
    // The tests must also pass with optimizations turned off.
    OPTIMIZATIONS_OFF: process.env['TEST_OPTIMIZATIONS_OFF'],
    ...env,
  };
}

/**
 * Settings for tests in which every request must be answered: they tolerate a machine that stands still for a second.
 */
export const PATIENT = {
  DATABASE_ACQUIRE_TIMEOUT_MS: '10000',
  DATABASE_CONNECT_TIMEOUT_MS: '10000',
  DATABASE_QUERY_TIMEOUT_MS: '10000',
  REQUEST_DEADLINE_MS: '20000',
  SHED_MAX_INFLIGHT: '0',
};

/** An empty folder to start programs in. They must neither read nor write the project's `.env` and `data/`. */
export const emptyFolder = scratchFolder('cwd');

/** Runs `node dist/cli.js ARGS`, or another program with these arguments, until it ends. */
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
