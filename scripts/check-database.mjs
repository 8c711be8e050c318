/**
 * The tests that use a database, on a server that this machine's Debian does not have:
 *
 *   node scripts/check-database.mjs mysql|mariadb [FILE …]
 *
 * Files are handed on to Jest (`npm run check -- mysql test/contract/list.spec.ts`); without any, the tests of the contract
 * run, and those of a database's faults.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const [engine, ...given] = process.argv.slice(2);
const brought = spawnSync(process.execPath, [join(project, 'scripts/debian-server.mjs'), engine], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
// MySQL loads no certificate that has expired, which is what `database-tls` shows to the service.
const connections = engine === 'mysql' ? 'database-(?!tls)' : 'database-';
const faults = `ambiguous-insert|backup|deep-pages|${connections}|grants|ids-used-up|lock-waits|migrations-killed|read-only-failover|repositories\\.spec`;
const tests = given.length > 0 ? given : ['test/contract/', `test/faults/(${faults})`];
const { status } =
  brought.status === 0
    ? spawnSync('npm', ['test', '--', ...tests], {
        cwd: project,
        stdio: 'inherit',
        env: { ...process.env, TEST_DATABASE_SERVER: brought.stdout.trim() },
      })
    : brought;
process.exitCode = status ?? 1;
