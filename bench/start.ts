/**
 * Measures how long the service takes until it is ready, and its memory at rest. Options: `npm run bench:start --
 * --help`.
 */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import mysql from 'mysql2/promise';
import { MariaDb } from '../test/support/mariadb.ts';
import { freePort } from '../test/support/ports.ts';
import { removeScratch, scratchFolder } from '../test/support/scratch.ts';
import { spawnTethered } from '../test/support/tethered.ts';
import { installedBytes } from './installed-size.ts';
import { cpuMicrosOf, residentMiBOf } from './process-usage.ts';
import { table } from './report.ts';
import { environment, migrate } from './services.ts';
import { quantileOf, spreadOf } from './statistics.ts';

const options = new Command('bench:start')
  .description('measures starts of this service, and its memory at rest')
  .option('--starts <number>', 'starts on each engine', '20')
  .option('--rest <seconds>', 'seconds before memory is read', '60')
  .parse()
  .opts<{ starts: string; rest: string }>();

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** Milliseconds between two requests to /readyz. */
const LOOK_MS = 5;

interface Started {
  readonly readyMs: number;
  /** CPU time of all threads until the service was ready. */
  readonly cpuMs: number;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** @param env added to the environment of production. */
async function start(databaseUrl: string, env: NodeJS.ProcessEnv = {}): Promise<Started> {
  const port = await freePort();
  const own = { PORT: '0', MANAGEMENT_PORT: String(port), SHUTDOWN_DELAY_MS: '0' };
  const begun = performance.now();
  const child = spawnTethered(process.execPath, [main], {
    env: { ...environment(databaseUrl), ...own, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  while ((await statusOf(port)) !== 200) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${String(child.exitCode)}`);
    await sleep(LOOK_MS);
  }
  const readyMs = performance.now() - begun;
  const stop = async (): Promise<void> => {
    const exited = once(child, 'exit');
    if (child.kill('SIGTERM')) await exited;
  };
  return { readyMs, cpuMs: cpuMicrosOf(child.pid) / 1000, pid: child.pid, stop };
}

function statusOf(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    get({ port, host: '127.0.0.1', path: '/readyz', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', () => resolve(undefined));
  });
}

function tell(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

/** A first start: without compiled code, and with an empty data folder. */
async function firstStart(folder: string, compileCache: NodeJS.ProcessEnv): Promise<number> {
  const url = `sqlite:${join(folder, `first-${String(performance.now())}.sqlite`)}`;
  const started = await start(url, { ...compileCache, MIGRATIONS: 'run' });
  await started.stop();
  return started.readyMs;
}

async function emptyDatabase(server: MariaDb): Promise<string> {
  const name = 'store_start';
  const admin = await mysql.createConnection(server.adminUrl());
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return server.url(name);
}

async function measure(engine: string, url: string): Promise<string[]> {
  const count = Number(options.starts);
  await (await start(url)).stop();
  const taken: Started[] = [];
  for (let number = 1; number <= count; number++) {
    tell(`${engine}: start ${String(number)} of ${String(count)}`);
    const started = await start(url);
    await started.stop();
    taken.push(started);
  }
  const resting = await start(url);
  for (let left = Number(options.rest); left > 0; left--) {
    tell(`${engine}: at rest, ${String(left)} s left`);
    await sleep(1000);
  }
  const residentMiB = residentMiBOf(resting.pid);
  await resting.stop();
  const ready = taken.map(({ readyMs }) => readyMs);
  const cpu = taken.map(({ cpuMs }) => cpuMs);
  const figures = [spreadOf(ready).median, quantileOf(ready, 0.95), spreadOf(cpu).median, residentMiB];
  return [engine, ...figures.map((value) => String(Math.round(value)))];
}

const folder = scratchFolder('bench-start');
const server = await MariaDb.start();
try {
  const sqlite = `sqlite:${join(folder, 'store.sqlite')}`;
  migrate(sqlite);
  const mariadb = await emptyDatabase(server);
  migrate(mariadb);
  const rows = [await measure('SQLite', sqlite), await measure('MariaDB', mariadb)];
  tell('first starts');
  const warm = await firstStart(folder, {});
  const cold = await firstStart(folder, { NODE_COMPILE_CACHE: join(folder, 'compile-cache') });
  const { packages, own } = installedBytes();
  const node = statSync(process.execPath).size;
  const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  tell('');
  const resident = `Resident MiB after ${options.rest} s`;
  process.stdout.write(
    [
      table(['Database', 'Ready, median ms', 'p95 ms', 'CPU until then, ms', resident], rows),
      `First start on an empty folder: ${warm.toFixed(0)} ms; without what the build compiled: ${cold.toFixed(0)} ms.`,
      `On the disk: packages ${mebibytes(packages)} MiB, the service itself ${mebibytes(own)} MiB.`,
      `An image: ${mebibytes(packages + own + node)} MiB with Node's ${mebibytes(node)}, besides the libraries of its base.`,
      '',
    ].join('\n'),
  );
} finally {
  await server.stop();
  removeScratch(folder);
}
