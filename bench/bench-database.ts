import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import mysql, { type Connection } from 'mysql2/promise';
import { MariaDb } from '../test/support/mariadb.ts';
import { migrate, seed } from './services.ts';

/**
 * On disk, since a commit in memory is not durable. Measurements assume that the whole table fits into the buffer pool.
 */
const folder = fileURLToPath(new URL('../artifacts/bench', import.meta.url));
const SETTINGS = ['--innodb-buffer-pool-size=2G', '--innodb-log-file-size=256M'];

/**
 * Starts a server whose commits are durable. It ends with this process. Its data is removed then, or at the next start.
 */
export async function startServer(): Promise<MariaDb> {
  mkdirSync(folder, { recursive: true });
  sweep();
  const server = await MariaDb.start({
    args: SETTINGS,
    folder: mkdtempSync(join(folder, `mariadb-${String(process.pid)}-`)),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().then(() => process.exit(1)));
  }
  return server;
}

/** Removes the data of processes that were killed. */
function sweep(): void {
  for (const name of readdirSync(folder)) {
    const owner = /^mariadb-(?:(\d+)-)?/.exec(name);
    if (owner !== null && !isRunning(Number(owner[1] ?? 0))) rmSync(join(folder, name), { recursive: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** One database that holds `pets` pets. */
export interface BenchDatabase {
  readonly server: MariaDb;
  readonly url: string;
  /** A separate connection that reads how many statements the server ran. */
  readonly admin: Connection;
  readonly pets: number;
}

export async function fillDatabase(server: MariaDb, pets: number): Promise<BenchDatabase> {
  const admin = await mysql.createConnection(server.adminUrl());
  const name = `store_of_${String(pets)}`;
  await admin.query(`CREATE DATABASE ${name}`);
  const url = server.url(name);
  migrate(url);
  seed(url, pets);
  await admin.query(`ANALYZE TABLE ${name}.pet`);
  return { server, url, admin, pets };
}
