/**
 * Runs the tests that use a database on a server that the Debian of this machine does not have:
 *
 *   node scripts/check-database.mjs mysql|mariadb|vitess [FILE …]
 *
 * Files are passed to Jest (`npm run check -- mysql test/contract/list.spec.ts`). Default: the contract tests and the
 * tests of database faults; on Vitess only the contract tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { databaseServer } from './debian-server.mjs';
import { startVitess } from './vitess-server.mjs';

const contractAndFaults = (connections) => [
  'test/contract/',
  `test/faults/(ambiguous-insert|backup|deep-pages|${connections}|grants|ids-used-up|lock-waits|migrations-killed|read-only-failover|repositories\\.spec)`,
];
const TESTS = {
  // MySQL does not load expired certificates, which `database-tls` needs.
  mysql: contractAndFaults('database-(?!tls)'),
  mariadb: contractAndFaults('database-'),
  // Without the tests that wait for LOCK TABLES, which Vitess ignores.
  vitess: ['test/contract/', '-t', 'on mysql(?!.*(being written leaves neither|cannot be written is not said))'],
};

const [engine, ...given] = process.argv.slice(2);
if (!Object.hasOwn(TESTS, engine)) {
  process.stderr.write(`Name one of: ${Object.keys(TESTS).join(', ')}\n`);
  process.exit(1);
}
const vitess = engine === 'vitess' ? await startVitess() : undefined;
try {
  const child = spawn('npm', ['test', '--', ...(given.length > 0 ? given : TESTS[engine])], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(vitess ? { TEST_DATABASE_URL: vitess.url } : { TEST_DATABASE_SERVER: databaseServer(engine) }),
    },
  });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
} finally {
  await vitess?.stop();
}
