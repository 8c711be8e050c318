/**
 * Starts Vitess for tests: `vttestserver`, with one unsharded keyspace for each created database, on the MySQL that
 * `debian-server.mjs` installs. Vitess is built once from its Go module and kept in the user's cache. Needs Go, its
 * module proxy, much memory and, the first time, a long build.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { databaseServer } from './debian-server.mjs';

const MODULE = 'vitess.io/vitess@v0.24.4';
const PROGRAMS = ['vttestserver', 'mysqlctl', 'vtcombo'];
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'animal-store');
const home = join(cache, 'vitess-0.24.4');

/**
 * Options of the MySQL below Vitess. Vitess has a file of this name for MySQL 8, whose variables MySQL 9 does not know.
 */
const SERVER_OPTIONS = (mysql) => `
plugin_dir = ${join(mysql, 'root/usr/lib/mysql/plugin')}
innodb_buffer_pool_size = 64M
innodb_use_native_aio = 0
super-read-only = false
`;

/** Vitess stops MySQL by `mysqladmin`, which is in another package of Debian. */
const MYSQLADMIN = '#!/bin/sh\nkill "$(cat "$VTDATAROOT"/vt_*/mysql.pid)"\n';

/** @returns the server's URL without a database, and a function that stops it and removes its data. */
export async function startVitess() {
  const mysqld = databaseServer('mysql');
  if (!existsSync(home)) build();
  const folder = mkdtempSync(join(tmpdir(), 'vitess-'));
  layOut(folder, mysqld);
  const child = spawn(...asOrdinaryUser(join(home, 'bin/vttestserver'), ...OPTIONS), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      VTROOT: folder,
      VTDATAROOT: join(folder, 'data'),
      VT_MYSQL_ROOT: join(folder, 'mysql'),
      VT_MYSQL_BASEDIR: join(dirname(mysqld), 'root/usr'),
    },
  });
  let errors = '';
  child.stderr.on('data', (text) => (errors = `${errors}${text}`.slice(-10_000)));
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const { vtcombo_mysql_port: port } = line.startsWith('{') ? JSON.parse(line) : {};
    if (port === undefined) continue;
    child.stdout.resume();
    return { url: `mysql://root@127.0.0.1:${port}`, stop };
  }
  await stop();
  throw new Error(`Vitess did not start:\n${errors}`);
}

const OPTIONS = [
  ['--keyspaces', 'store', '--num-shards', '1', '--replica-count', '1', '--rdonly-count', '0'],
  ['--mysql-bind-host', '127.0.0.1', '--vtcombo-bind-host', '127.0.0.1'],
].flat();

/** `go install` is not enough: `vttestserver` runs the other programs, and reads a file of the sources. */
function build() {
  const making = `${home}.making`;
  rmSync(making, { recursive: true, force: true });
  const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', MODULE], { encoding: 'utf8' }));
  const sources = join(making, 'sources');
  cpSync(Dir, sources, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', making]);
  const packages = PROGRAMS.map((name) => `./go/cmd/${name}`);
  const args = ['build', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w', '-o', `${join(making, 'bin')}/`];
  execFileSync('go', [...args, ...packages], { cwd: sources, stdio: 'inherit' });
  cpSync(join(sources, 'config/init_db.sql'), join(making, 'init_db.sql'));
  rmSync(sources, { recursive: true });
  execFileSync('mv', [making, home]);
}

/** Creates the folders in which Vitess looks for its programs and files. */
function layOut(folder, mysqld) {
  for (const path of ['config/mycnf', 'data', 'mysql/bin']) mkdirSync(join(folder, path), { recursive: true });
  symlinkSync(join(home, 'bin'), join(folder, 'bin'));
  symlinkSync(mysqld, join(folder, 'mysql/bin/mysqld'));
  writeFileSync(join(folder, 'mysql/bin/mysqladmin'), MYSQLADMIN, { mode: 0o755 });
  cpSync(join(home, 'init_db.sql'), join(folder, 'config/init_db.sql'));
  writeFileSync(join(folder, 'config/mycnf/test-suite.cnf'), SERVER_OPTIONS(dirname(mysqld)));
}

/** Vitess refuses to run as root, even if there is no other user. */
function asOrdinaryUser(command, ...args) {
  if (process.getuid() !== 0) return [command, args];
  return ['unshare', ['--user', '--map-user=1000', '--map-group=1000', command, ...args]];
}
