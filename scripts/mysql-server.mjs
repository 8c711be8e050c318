/**
 * Prints the path of a MySQL server that the tests can start (TEST_DATABASE_SERVER). Debian 12 has MariaDB only, so MySQL is
 * taken from Debian unstable, with the libraries it needs, into a folder of its own in the user's cache: nothing of the
 * machine is changed. Needs apt-get, and the network the first time.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const home = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'animal-store', 'mysql');
const server = join(home, 'mysqld');

if (!existsSync(server)) install();
run(server, '--no-defaults', '--version');
process.stdout.write(`${server}\n`);

/** Unpacks the packages side by side; whatever fails leaves nothing behind that looks like a server. */
function install() {
  const making = `${home}.making`;
  rmSync(making, { recursive: true, force: true });
  for (const folder of ['lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(making, folder), { recursive: true });
  writeFileSync(join(making, 'status'), '');
  writeFileSync(join(making, 'sources.list'), `deb ${mirror()} unstable main\n`);
  const apt = Object.entries({
    'Dir::Etc::sourcelist': join(making, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(making, 'lists'),
    'Dir::State::status': join(making, 'status'),
    'Dir::Cache': join(making, 'cache'),
  }).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  run('apt-get', ...apt, '-q', 'update');
  run('apt-get', ...apt, '-q', '-y', '--no-install-recommends', '--download-only', 'install', 'mysql-server-core');
  const archives = join(making, 'cache/archives');
  for (const file of readdirSync(archives)) {
    if (file.endsWith('.deb')) run('dpkg', '-x', join(archives, file), join(making, 'root'));
  }
  for (const folder of ['lists', 'cache']) rmSync(join(making, folder), { recursive: true });
  writeFileSync(join(making, 'mysqld'), launcher());
  chmodSync(join(making, 'mysqld'), 0o755);
  rmSync(home, { recursive: true, force: true });
  renameSync(making, home);
}

/** The Debian mirror that this machine takes its packages from. */
function mirror() {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(ORIGIN) $(SITE)'], { encoding: 'utf8' });
  const site = stdout
    .split('\n')
    .find((line) => line.startsWith('Debian '))
    ?.slice('Debian '.length);
  if (site === undefined) throw new Error('apt-get knows no Debian mirror; run apt-get update');
  return site;
}

/** MySQL with the C library it was linked against, which is newer than this machine's. */
function launcher() {
  const root = join(home, 'root');
  const libraries = '"$root"/usr/lib/*-linux-gnu';
  return `#!/bin/sh
root='${root}'
set -- "$@" --lc-messages-dir="$root/usr/share/mysql" --secure-file-priv=NULL
for libraries in ${libraries}; do
  for loader in "$libraries"/ld-linux*.so.*; do
    exec "$loader" --library-path "$libraries:$root/usr/lib/mysql/private" "$root/usr/sbin/mysqld" "$@"
  done
done
`;
}

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${String(status)}`);
}
