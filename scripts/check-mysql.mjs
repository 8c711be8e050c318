/**
 * The tests that use a database, on MySQL itself, which `mysql-server.mjs` brings. Arguments are handed on to Jest
 * (`npm run check -- mysql test/contract/list.spec.ts`); without any, the tests of the contract run, and those of a database's
 * faults.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('..', import.meta.url));
const brought = spawnSync(process.execPath, [join(project, 'scripts/mysql-server.mjs')], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
const given = process.argv.slice(2);
// Not `database-tls`: MySQL loads no certificate that has expired, which is what that test shows to the service.
const faults =
  'ambiguous-insert|deep-pages|database-(?!tls)|grants|ids-used-up|lock-waits|migrations-killed|read-only-failover|repositories\\.spec';
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
