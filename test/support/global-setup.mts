import setUpBuilt from './built.mts';
import { findDatabaseServer, MariaDb } from './mariadb.ts';
import { sweepScratch } from './scratch.ts';

declare global {
  // Handed from Jest's global setup to its teardown, which share nothing else.
  var testServer: MariaDb | undefined;
}

/**
 * Once a run, before any black-box test: the build, and a database server for all of them, unless TEST_DATABASE_URL names one.
 * Its addresses reach the tests' workers through the environment.
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

/** Jest leaves at once on a signal, without its teardown; leaving through `exit` lets the scratch folders be removed. */
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
