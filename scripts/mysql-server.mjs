/**
 * Prints the path of a MySQL server that the tests can start (TEST_DATABASE_SERVER). Debian 12 has MariaDB only, so it is
 * taken from Debian unstable, with the clients of backups beside it.
 */
import { join } from 'node:path';
import { bringServer } from './debian-server.mjs';

const home = bringServer({
  name: 'mysql',
  suite: 'unstable',
  packages: ['mysql-server-core', 'mysql-client-core'],
  programs: {
    mysqld: '"$@" --lc-messages-dir="$root/usr/share/mysql" --secure-file-priv=NULL',
    mysql: '"$@"',
    mysqldump: '"$@"',
    mysqlbinlog: '"$@"',
  },
});
process.stdout.write(`${join(home, 'mysqld')}\n`);
