/**
 * Brings a database server that this machine's Debian does not have, out of another suite of Debian's, with the libraries it
 * needs, into a folder of its own in the user's cache: nothing of the machine is changed. Needs apt-get, and the network the
 * first time.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * @param name of its folder.
 * @param suite of Debian, e.g. `unstable`.
 * @param packages of that suite.
 * @param programs by name: a shell's words behind `set --`, with `$root` for the folder of the packages.
 * @param scripts by name: a whole script of the shell, which stands beside the programs.
 * @returns the folder of the programs.
 */
export function bringServer({ name, suite, packages, programs, scripts = {} }) {
  const home = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'animal-store', `debian-${name}`);
  if (!existsSync(home)) install(home, { suite, packages, programs, scripts });
  for (const program of Object.keys(programs)) run(join(home, program), '--no-defaults', '--version');
  return home;
}

/** Unpacks the packages side by side; whatever fails leaves nothing behind that looks like a server. */
function install(home, { suite, packages, programs, scripts }) {
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
