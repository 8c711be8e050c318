import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import autocannon from 'autocannon';
import { storeKey } from '../support/api-keys.js';
import { builtProgram, emptyFolder, type Environment, programEnvironment } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { hosting } from '../support/hosting.js';
import { HttpClient } from '../support/http.js';
import { metricValue } from '../support/metrics.js';
import { freePort } from '../support/ports.js';
import { residentBytes } from '../support/process-size.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { spawnTethered } from '../support/tethered.js';

const MIB = 1024 ** 2;
/** Requests that fail, each with its stack in the log: more lines than the service buffers for a reader. */
const MANY = 4000;
const LINES = 2 * MANY;

/** A service whose standard output is a pipe, and the program that copies the pipe to a file. */
interface Piped {
  readonly service: ChildProcess;
  readonly reader: ChildProcess;
  readonly url: string;
  readonly managementUrl: string;
  readonly key: string;
  lines(): string[];
}

async function launchPiped(
  database: TestDatabase,
  folder: string,
  { reader: [program, ...args] = ['cat'], env: more = {} }: { reader?: [string, ...string[]]; env?: Environment } = {},
): Promise<Piped> {
  const [pipe, file] = [join(folder, 'pipe'), join(folder, 'lines')];
  execFileSync('mkfifo', [pipe]);
  const end = openSync(file, 'w');
  const reader = spawnTethered(program, [...args, pipe], { stdio: ['ignore', end, 'ignore'] });
  closeSync(end);
  const [port, managementPort] = [String(await freePort()), String(await freePort())];
  const { program: host, env } = hosting({
    features: ['features/thrower.feature.ts'],
    env: { PORT: port, MANAGEMENT_PORT: managementPort, RATE_LIMIT_PER_MINUTE: '0', ...more },
  });
  // The shell waits until the reader opens the pipe, so that this process need not wait.
  const service = spawnTethered('sh', ['-c', 'exec "$0" "$1" > "$2"', process.execPath, host, pipe], {
    cwd: emptyFolder,
    env: programEnvironment(database.url, env),
    stdio: 'ignore',
  });
  const [url, managementUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${managementPort}`];
  const isReady = async (): Promise<boolean> =>
    (await new HttpClient(managementUrl).get('/readyz').catch(() => undefined))?.status === 200;
  while (!(await isReady())) await sleep(50);
  const key = await storeKey(database);
  return { service, reader, url, managementUrl, key, lines: () => readFileSync(file, 'utf8').split('\n') };
}

/** Sends requests. Returns how many were answered correctly. */
async function answered({ url, key }: Piped): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, 'x-request-id': 'x'.repeat(128) };
  const result = await autocannon({ url: `${url}/v1/throws/now/error`, headers, amount: MANY, connections: 20 });
  return result.statusCodeStats?.['500']?.count ?? 0;
}

describe('the reader of the log', () => {
  let database: TestDatabase;
  let folder: string;
  let piped: Piped;
  const dropped = (): Promise<number> => metricValue(piped.managementUrl, 'animal_store_log_dropped_total');

  beforeAll(async () => {
    database = await createSqliteDatabase();
    folder = scratchFolder('log-sink');
    piped = await launchPiped(database, folder);
  });

  afterAll(async () => {
    piped.service.kill('SIGKILL');
    piped.reader.kill('SIGKILL');
    removeScratch(folder);
    await database.drop();
  });

  it('loses lines while it is stopped; they are counted, and answers and memory are not affected', async () => {
    expect(await answered(piped)).toBe(MANY);
    const before = residentBytes(piped.service.pid!);
    piped.reader.kill('SIGSTOP');
    expect(await answered(piped)).toBe(MANY);
    expect(residentBytes(piped.service.pid!) - before).toBeLessThan(64 * MIB);
    const lost = await dropped();
    expect(lost).toBeGreaterThan(0);

    // Lines that were not dropped arrive whole and in order when the reader continues.
    piped.reader.kill('SIGCONT');
    const requestLines = (): string[] =>
      piped.lines().filter((line) => /"event":"(http\.request|request\.failed)"/.test(line));
    while (requestLines().length < 2 * LINES - lost) await sleep(50);
    expect(requestLines()).toHaveLength(2 * LINES - lost);
    const times = requestLines().map((line) => (JSON.parse(line) as { time: string }).time);
    expect(times).toEqual([...times].sort());
    expect(await dropped()).toBe(lost);
  });

  it('does not end the service when it ends', async () => {
    piped.reader.kill('SIGKILL');
    await once(piped.reader, 'exit');
    const lost = await dropped();
    expect(await answered(piped)).toBe(MANY);
    expect(await dropped()).toBeGreaterThan(lost);
    piped.service.kill('SIGTERM');
    expect(await once(piped.service, 'exit')).toEqual([0, null]);
  });
});

it('a reader that ends after the first line in the format for people does not end the service', async () => {
  const database = await createSqliteDatabase();
  const folder = scratchFolder('log-sink');
  const env = { LOG_FORMAT: 'pretty', NODE_ENV: 'development' };
  const piped = await launchPiped(database, folder, { reader: ['head', '-n1'], env });
  try {
    expect(await answered(piped)).toBe(MANY);
    expect(piped.lines()).toEqual([expect.stringMatching(/^\[[\d:]+\] INFO: Starting$/), '']);
    piped.service.kill('SIGTERM');
    expect(await once(piped.service, 'exit')).toEqual([0, null]);
  } finally {
    piped.service.kill('SIGKILL');
    removeScratch(folder);
    await database.drop();
  }
});

describe('a stop while nobody reads the log', () => {
  it('ends nevertheless', async () => {
    const database = await createSqliteDatabase();
    const folder = scratchFolder('log-sink');
    const piped = await launchPiped(database, folder);
    piped.reader.kill('SIGSTOP');
    expect(await answered(piped)).toBe(MANY);
    piped.service.kill('SIGTERM');
    expect(await once(piped.service, 'exit')).toEqual([0, null]);
    piped.reader.kill('SIGKILL');
    removeScratch(folder);
    await database.drop();
  });
});

describe('a command whose output goes nowhere', () => {
  async function unread(
    database: TestDatabase,
    command: string,
    output: 'pipe' | number = 'pipe',
  ): Promise<{ code: unknown; stderr: string }> {
    const child = spawnTethered(process.execPath, [builtProgram('cli.js'), ...command.split(' ')], {
      cwd: emptyFolder,
      env: programEnvironment(database.url),
      stdio: ['ignore', output, 'pipe'],
    });
    child.stdout?.destroy();
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const [code] = (await once(child, 'close')) as unknown[];
    return { code, stderr };
  }

  it('does its work and reports nothing if nobody reads it to the end', async () => {
    const database = await createSqliteDatabase();
    const both = await Promise.all([unread(database, 'openapi'), unread(database, 'migrate')]);
    expect(both).toEqual([
      { code: 141, stderr: '' },
      { code: 141, stderr: expect.stringMatching(/^(applying .*\n)+$/) },
    ]);
    expect(await database.query('SELECT name FROM migration')).not.toHaveLength(0);
    expect(await database.query('SELECT id FROM migration_lock')).toHaveLength(0);
    await database.drop();
  });

  it('reports a full disk', async () => {
    const database = await createSqliteDatabase();
    const full = openSync('/dev/full', 'w');
    const { code, stderr } = await unread(database, 'openapi', full);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: The output cannot be written: ENOSPC.*\n$/);
    closeSync(full);
    await database.drop();
  });
});
