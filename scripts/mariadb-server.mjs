/**
 * Prints the path of a MariaDB 11.8 that the tests can start (TEST_DATABASE_SERVER): that of Debian 13, with the clients of
 * backups beside it. Those of an earlier version do not read its binary log.
 */
import { join } from 'node:path';
import { bringServer } from './debian-server.mjs';

const home = bringServer({
  name: 'mariadb11',
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
});
process.stdout.write(`${join(home, 'mariadbd')}\n`);
