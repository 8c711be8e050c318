/**
 * The tests that use a database, on MySQL itself. Debian 12 has MariaDB only, so MySQL is taken from Debian unstable, with
 * the libraries it needs, into a folder of its own under node_modules/.cache: nothing of the machine is changed.
 *
 * Needs apt-get. Arguments are handed on to Jest (`npm run check:mysql -- test/contract/list.spec.ts`); without any, the
 * tests of the contract and of faults run.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const home = join(project, 'node_modules/.cache/mysql');
const server = join(home, 'mysqld');

if (!existsSync(server)) install();
run(server, '--no-defaults', '--version');
const given = process.argv.slice(2);
const tests = given.length > 0 ? given : ['--selectProjects', 'contract', 'faults'];
const { status } = spawnSync('npm', ['test', '--', ...tests], {
  cwd: project,
  stdio: 'inherit',
  env: { ...process.env, TEST_DATABASE_SERVER: server },
});
process.exitCode = status ?? 1;

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
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${String(status)}`);
}
