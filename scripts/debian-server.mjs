/**
 * Brings a database server that the tests can start (TEST_DATABASE_SERVER) and that this machine's Debian does
 * not have: out of another suite of Debian's, with the libraries it needs and the clients of backups beside it, in a folder of
 * its own in the user's cache. Nothing of the machine is changed. Needs apt-get, and the network the first time. By itself it
 * prints the path:
 *
 *   node scripts/debian-server.mjs mysql|mariadb
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * `suite` of Debian, and `packages` of it. `programs`, the server first, by name: a shell's words behind `set --`, with `$root`
 * for the folder of the packages. `scripts`, whole ones of the shell, stand beside the programs.
 */
const SERVERS = {
  mysql: {
    suite: 'unstable',
    packages: ['mysql-server-core', 'mysql-client-core'],
    programs: {
      mysqld: '"$@" --lc-messages-dir="$root/usr/share/mysql" --secure-file-priv=NULL',
      mysql: '"$@"',
      mysqldump: '"$@"',
      mysqlbinlog: '"$@"',
    },
  },
  // 11.8. Clients of an earlier version do not read its binary log.
  mariadb: {
    suite: 'trixie',
    packages: ['mariadb-server-core', 'mariadb-client'],
    programs: {
      mariadbd: '"$@" --lc-messages-dir="$root/usr/share/mariadb"',
      mariadb: '"$@"',
      'mariadb-dump': '"$@"',
      'mariadb-binlog': '"$@"',
    },
    // What Debian's script runs is beside it: this server by its launcher, and no options of this machine.
    scripts: {
      my_print_defaults: 'exit 0\n',
      'mariadb-install-db': `here=$(dirname "$0") bare=$(mktemp -d)
trap 'rm -rf "$bare"' EXIT
mkdir "$bare/bin" "$bare/sbin"
ln -s "$root/usr/share" "$bare/share"
ln -s "$here/my_print_defaults" "$bare/bin"
ln -s "$here/mariadbd" "$bare/sbin"
sh "$root/usr/bin/mariadb-install-db" "$@" --cross-bootstrap --basedir="$bare"
`,
    },
  },
};

if (import.meta.main) process.stdout.write(`${databaseServer(process.argv[2])}\n`);

/** The path of the server, `mysql` or `mariadb`, which is brought where it is not there yet. */
export function databaseServer(name) {
  const server = SERVERS[name];
  if (server === undefined) throw new Error(`Say which: ${Object.keys(SERVERS).join(', ')}`);
  const home = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'animal-store', `debian-${name}`);
  const programs = Object.keys(server.programs);
  if (!existsSync(home)) install(home, server);
  for (const program of programs) run(join(home, program), '--no-defaults', '--version');
  return join(home, programs[0]);
}

/** Unpacks the packages side by side; whatever fails leaves nothing behind that looks like a server. */
function install(home, { suite, packages, programs, scripts = {} }) {
  const making = `${home}.making`;
  rmSync(making, { recursive: true, force: true });
  for (const folder of ['lists/partial', 'cache/archives/partial', 'root'])
    mkdirSync(join(making, folder), { recursive: true });
  writeFileSync(join(making, 'status'), '');
  writeFileSync(join(making, 'sources.list'), `deb ${mirror()} ${suite} main\n`);
  const apt = Object.entries({
    'Dir::Etc::sourcelist': join(making, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(making, 'lists'),
    'Dir::State::status': join(making, 'status'),
    'Dir::Cache': join(making, 'cache'),
  }).flatMap(([option, value]) => ['-o', `${option}=${value}`]);
  run('apt-get', ...apt, '-q', 'update');
  run('apt-get', ...apt, '-q', '-y', '--no-install-recommends', '--download-only', 'install', ...packages);
  const archives = join(making, 'cache/archives');
  for (const file of readdirSync(archives)) {
    if (file.endsWith('.deb')) run('dpkg', '-x', join(archives, file), join(making, 'root'));
  }
  for (const folder of ['lists', 'cache']) rmSync(join(making, folder), { recursive: true });
  const launchers = Object.entries(programs).map(([program, words]) => [program, launcher(program, words)]);
  for (const [file, text] of [...launchers, ...Object.entries(scripts)]) {
    writeFileSync(join(making, file), `#!/bin/sh\nroot='${join(home, 'root')}'\n${text}`);
    chmodSync(join(making, file), 0o755);
  }
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

/** A program with the C library it was linked against, which may be newer than this machine's. */
function launcher(program, words) {
  return `set -- ${words}
for libraries in "$root"/usr/lib/*-linux-gnu; do
  for loader in "$libraries"/ld-linux*.so.*; do
    for file in "$root"/usr/sbin/${program} "$root"/usr/bin/${program}; do
      if [ -x "$file" ]; then exec "$loader" --library-path "$libraries:$root/usr/lib/mysql/private" "$file" "$@"; fi
    done
  done
done
exit 127
`;
}

function run(command, ...args) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 2, 2] });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${String(status)}`);
}
