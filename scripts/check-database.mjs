/**
 * The tests that use a database, on a server that this machine's Debian does not have:
 *
 *   node scripts/check-database.mjs mysql|mariadb|vitess [FILE …]
 *
 * Files are passed to Jest (`npm run check -- mysql test/contract/list.spec.ts`); without any, the tests of the contract
 * run, and those of a database's faults; on Vitess those of the contract alone.
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
  // MySQL loads no certificate that has expired, which is what `database-tls` shows to the service.
  mysql: contractAndFaults('database-(?!tls)'),
  mariadb: contractAndFaults('database-'),
  // Not what waits for LOCK TABLES, which Vitess passes over.
  vitess: ['test/contract/', '-t', 'on mysql(?!.*(being written leaves neither|cannot be written is not said))'],
};

const [engine, ...given] = process.argv.slice(2);
if (!Object.hasOwn(TESTS, engine)) {
  process.stderr.write(`Say which: ${Object.keys(TESTS).join(', ')}\n`);
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
