import setUpBuilt from './built.mts';
import { findDatabaseServer, MariaDb } from './mariadb.ts';
import { sweepScratch } from './scratch.ts';

declare global {
  // Jest's global setup and teardown share nothing but `globalThis`.
  var testServer: MariaDb | undefined;
}

/**
 * Before the black-box tests of a run: the build, and one database server for all of them unless TEST_DATABASE_URL
 * names one. The tests' workers find its URLs in the environment.
 */
export default async function setUp(): Promise<void> {
  setUpBuilt();
  sweepScratch();
  const given = process.env['TEST_DATABASE_URL'];
  if (given !== undefined && given !== '') {
    process.env['TEST_MYSQL_URL'] = process.env['TEST_MYSQL_ADMIN_URL'] = given;
    return;
  }
  if (findDatabaseServer() === undefined && process.env['ALLOW_SKIP'] === '1') return;
  const server = await MariaDb.start();
  globalThis.testServer = server;
  process.env['TEST_MYSQL_URL'] = server.url();
  process.env['TEST_MYSQL_ADMIN_URL'] = server.adminUrl();
  endOnSignal();
}

/** On a signal Jest exits without its teardown. `process.exit` runs the listeners that remove the scratch folders. */
function endOnSignal(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      void globalThis.testServer?.stop().finally(() => process.exit(code));
    });
  }
}
