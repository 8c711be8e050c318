/**
 * Installs a database server that this machine's Debian does not have, for tests (TEST_DATABASE_SERVER). It comes from
 * another suite of Debian, with its libraries and its backup clients, in a separate folder of the user's cache. The
 * machine itself is not changed. Needs apt-get, and the network the first time. Run directly, it prints the path:
 *
 *   node scripts/debian-server.mjs mysql|mariadb
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * `suite` is a suite of Debian, and `packages` are its packages. `programs` are named by their files, the server first;
 * each value is the arguments of a shell's `set --`, with `$root` for the folder of the packages. `scripts` are whole
 * shell scripts, which are stored beside the programs.
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
  // 11.8. Older clients cannot read its binary log.
  mariadb: {
    suite: 'trixie',
    packages: ['mariadb-server-core', 'mariadb-client'],
    programs: {
      mariadbd: '"$@" --lc-messages-dir="$root/usr/share/mariadb"',
      mariadb: '"$@"',
      'mariadb-dump': '"$@"',
      'mariadb-binlog': '"$@"',
    },
    // Debian's installation script then finds this server's launcher, and no options of this machine.
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

/** The path of the server `mysql` or `mariadb`, which is installed first if it is missing. */
export function databaseServer(name) {
  const server = SERVERS[name];
  if (server === undefined) throw new Error(`Name one of: ${Object.keys(SERVERS).join(', ')}`);
  const home = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'animal-store', `debian-${name}`);
  const programs = Object.keys(server.programs);
  if (!existsSync(home)) install(home, server);
  for (const program of programs) run(join(home, program), '--no-defaults', '--version');
  return join(home, programs[0]);
}

/** Unpacks all packages into one folder. A failure leaves nothing behind that looks like a server. */
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

/** The Debian mirror of this machine. */
function mirror() {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(ORIGIN) $(SITE)'], { encoding: 'utf8' });
  const site = stdout
    .split('\n')
    .find((line) => line.startsWith('Debian '))
    ?.slice('Debian '.length);
  if (site === undefined) throw new Error('apt-get knows no Debian mirror; run apt-get update');
  return site;
}

/**
 * A script that runs a program with the C library that it was linked against, which may be newer than this machine's.
 */
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
