import type { ChildProcess } from 'node:child_process';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { leftovers } from './leftovers.ts';
import { freePort } from './ports.ts';
import { findProgram } from './programs.ts';
import { removeScratch, scratchFolder } from './scratch.ts';
import { freeze, spawnTethered } from './tethered.ts';

const run = promisify(execFile);
const START_LIMIT_MS = 60_000;

/** The service's user: no administrator, with a password that a careless URL parser would break. */
const SERVICE_USER = { name: 'store', password: 'p@ss:w/rd%' };

/**
 * Defaults that no service should rely on: it must set its own character set, time zone, sql_mode and engine. Commits
 * are flushed as in production. Only what no test depends on is small or off.
 */
const HOSTILE_DEFAULTS = [
  '--character-set-server=latin1',
  '--collation-server=latin1_swedish_ci',
  '--default-time-zone=+05:45',
  '--sql-mode=',
  '--default-storage-engine=MyISAM',
];
const SMALL_AND_DURABLE = [
  '--innodb-flush-log-at-trx-commit=1',
  '--innodb-flush-method=fsync',
  '--innodb-buffer-pool-size=64M',
  '--skip-log-bin',
  '--performance-schema=OFF',
  '--max-connections=500',
  // MySQL's second protocol has a fixed port. MariaDB ignores the option.
  '--loose-mysqlx=OFF',
];

export interface MariaDbOptions {
  /** The path of the server's program. Default: the result of `findDatabaseServer`. */
  readonly binary?: string;
  /** Arguments of the server. They override those above. */
  readonly args?: readonly string[];
  readonly port?: number;
  /** The data folder, which `stop` removes. Default: a scratch folder, in memory if there is enough. */
  readonly folder?: string;
  /** More arguments for the first start only. */
  readonly firstArgs?: readonly string[];
  /** Whether it takes its data, users included, from the cluster that it joins. Then it begins with an empty folder. */
  readonly joins?: boolean;
  /** The user that runs it, if the tests run as root. Default: root. */
  readonly user?: string;
}

/** One MariaDB or MySQL server with its own data folder, on a free port of 127.0.0.1. */
export class MariaDb {
  readonly #folder: string;
  readonly #binary: string;
  readonly #args: readonly string[];
  readonly port: number;
  #process: ChildProcess | undefined;
  #output = '';

  private constructor(folder: string, binary: string, port: number, args: readonly string[]) {
    this.#folder = folder;
    this.#binary = binary;
    this.#args = args;
    this.port = port;
  }

  /** Creates the data folder, starts the server and waits until it answers. Rejects with the server's output. */
  static async start(options: MariaDbOptions = {}): Promise<MariaDb> {
    const binary = options.binary ?? findDatabaseServer();
    if (binary === undefined) throw new Error('No mariadbd or mysqld here: node scripts/setup-test-machine.mjs');
    const folder = options.folder ?? scratchFolder('mariadb');
    const server = new MariaDb(folder, binary, options.port ?? (await freePort()), [
      ...asUser(options.user),
      ...(options.args ?? []),
    ]);
    if (options.joins === true) mkdirSync(join(folder, 'data'));
    else await makeDataFolder(binary, join(folder, 'data'));
    if (isRoot()) await run('chown', ['-R', options.user ?? 'root', folder]);
    await server.launch(options.firstArgs);
    if (options.joins !== true) await server.#makeUsers();
    return server;
  }

  /** The URL of a database, or of the server, for the service's user. */
  url(database = ''): string {
    const password = encodeURIComponent(SERVICE_USER.password);
    return `mysql://${SERVICE_USER.name}:${password}@127.0.0.1:${String(this.port)}/${database}`;
  }

  /** The same URL for an administrator without a password. */
  adminUrl(database = ''): string {
    return `mysql://root@127.0.0.1:${String(this.port)}/${database}`;
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** Starts the server again on its data, after `kill` or `shutDown`, and waits until it answers. */
  async launch(moreArgs: readonly string[] = []): Promise<void> {
    const args = [`--defaults-file=${this.#writeOptions()}`, ...moreArgs];
    const child = spawnTethered(this.#binary, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#process = child;
    leftovers.add(() => this.stop());
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (this.#output += String(chunk)));
    const deadline = Date.now() + START_LIMIT_MS;
    while (!(await answers(this.adminUrl()))) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
        child.kill('SIGKILL');
        throw new Error(`${this.#binary} did not start on port ${String(this.port)}\n${this.#output}`);
      }
      await sleep(25);
    }
  }

  /** Stops the server in order, as `systemctl stop` does. The data stays for `launch`. */
  async shutDown(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Kills the server, as a power failure would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** The server hangs until `resume`: its sockets stay open and nothing answers. */
  pause(): void {
    if (this.#process !== undefined) freeze(this.#process);
  }

  resume(): void {
    this.#process?.kill('SIGCONT');
  }

  /** Ends the server and removes its data. */
  async stop(): Promise<void> {
    await this.#end('SIGKILL');
    removeScratch(this.#folder);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill(signal);
    await exited;
  }

  /** Options are in a file, since Galera passes the server's arguments to a script that truncates long ones. */
  #writeOptions(): string {
    const file = join(this.#folder, 'server.cnf');
    const args = [
      `--datadir=${join(this.#folder, 'data')}`,
      `--socket=${join(this.#folder, 'server.sock')}`,
      `--pid-file=${join(this.#folder, 'server.pid')}`,
      `--tmpdir=${this.#folder}`,
      `--port=${String(this.port)}`,
      '--bind-address=127.0.0.1',
      ...SMALL_AND_DURABLE,
      ...HOSTILE_DEFAULTS,
      ...this.#args,
    ];
    writeFileSync(file, ['[mysqld]', ...args.map((arg) => arg.replace(/^--/, '')), ''].join('\n'));
    return file;
  }

  async #makeUsers(): Promise<void> {
    const connection = await mysql.createConnection(this.adminUrl());
    try {
      // The anonymous user of a fresh MariaDB would match every login from this machine by TCP.
      const [nameless] = await connection.query<RowDataPacket[]>("SELECT Host AS host FROM mysql.user WHERE User = ''");
      for (const { host } of nameless) await connection.query(`DROP USER ''@${connection.escape(String(host))}`);
      const user = `${connection.escape(SERVICE_USER.name)}@'%'`;
      await connection.query(`CREATE USER ${user} IDENTIFIED BY ${connection.escape(SERVICE_USER.password)}`);
      await connection.query(`GRANT ALL PRIVILEGES ON \`store\\_%\`.* TO ${user}`);
    } finally {
      await connection.end();
    }
  }
}

/** The server binary that the tests start: TEST_DATABASE_SERVER, or the one that this machine has. */
export function findDatabaseServer(): string | undefined {
  const given = process.env['TEST_DATABASE_SERVER'];
  return given === undefined || given === '' ? findProgram('mariadbd', 'mysqld') : given;
}

async function makeDataFolder(binary: string, folder: string): Promise<void> {
  const { stdout: version } = await run(binary, ['--no-defaults', '--version']);
  // In /tmp the temporary tables of two servers collide if both have the same process id.
  const ownPlace = [`--tmpdir=${dirname(folder)}`, ...asUser()];
  if (!version.includes('MariaDB')) {
    await run(binary, ['--no-defaults', '--initialize-insecure', `--datadir=${folder}`, ...ownPlace]);
    return;
  }
  const beside = join(dirname(binary), 'mariadb-install-db');
  const installer = existsSync(beside) ? beside : findProgram('mariadb-install-db', 'mysql_install_db');
  if (installer === undefined) throw new Error(`${binary} came without mariadb-install-db`);
  const args = ['--auth-root-authentication-method=normal', '--skip-test-db', `--datadir=${folder}`];
  await run(installer, ['--no-defaults', ...args, ...ownPlace]);
}

/** A server that root starts needs `--user`. Any other user runs the server as itself. */
function asUser(user = 'root'): string[] {
  return isRoot() ? [`--user=${user}`] : [];
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

async function answers(url: string): Promise<boolean> {
  try {
    const connection = await mysql.createConnection({ uri: url, connectTimeout: 1000 });
    await connection.end();
    return true;
  } catch {
    return false;
  }
}
