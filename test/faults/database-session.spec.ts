import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import mysql from 'mysql2/promise';
import { runCommand } from '../support/command.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { onOwnServer } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { MariaDb } from '../support/mariadb.js';
import { Service } from '../support/service.js';

/** Unusual defaults of sessions, and the global variables that cause them. */
const HOSTILE: readonly (readonly [what: string, globals: Readonly<Record<string, string | number>>])[] = [
  ['commits nothing by itself', { autocommit: 0 }],
  ['commits nothing by itself, by init_connect', { init_connect: "'SET autocommit = 0'" }],
  ['begins a transaction after each other', { completion_type: 1 }],
  ['ends a connection after each transaction', { completion_type: 2 }],
  ['updates only by key', { sql_safe_updates: 1 }],
  ['gives two rows at most', { sql_select_limit: 2 }],
  ['refuses what reads more than two rows', { max_join_size: 2 }],
  ['speaks latin1, by init_connect', { init_connect: "'SET NAMES latin1'" }],
  ['reads only', { init_connect: "'SET SESSION TRANSACTION READ ONLY'" }],
  ['checks no keys', { init_connect: "'SET unique_checks = 0, foreign_key_checks = 0, sql_auto_is_null = 1'" }],
];

/** The usual values. They are restored after each test. */
const USUAL = {
  autocommit: 1,
  completion_type: 0,
  init_connect: "''",
  sql_safe_updates: 0,
  sql_select_limit: '9223372036854775807',
  max_join_size: '18446744073709551615',
};

/** Characters of two, three and four bytes in UTF-8. */
const NAME = 'P1 🐶é€';

onOwnServer('a server whose sessions are not as they are on most', () => {
  let server: MariaDb;

  beforeAll(async () => {
    // Ignores the character set that a client asks for. MySQL 9 no longer has this option.
    server = await MariaDb.start({ args: ['--loose-skip-character-set-client-handshake'] });
  });

  afterEach(() => setGlobals(USUAL));

  afterAll(() => server.stop());

  /** Uses an administrator's session, for which `init_connect` is not run. */
  async function setGlobals(globals: Readonly<Record<string, string | number>>): Promise<void> {
    const admin = await createMysqlDatabase(server.url(), server.adminUrl());
    await admin.query('SET SESSION autocommit = 1');
    for (const [name, value] of Object.entries(globals)) await admin.query(`SET GLOBAL ${name} = ${String(value)}`);
    await admin.drop();
  }

  /** Reads in a separate session with usual settings. */
  async function seen(database: TestDatabase, sql: string): Promise<unknown[]> {
    const { pathname } = new URL(database.url);
    const looking = await mysql.createConnection(server.adminUrl(pathname.slice(1)));
    await looking.query('SET SESSION sql_select_limit = 1000, max_join_size = 1000000, sql_big_selects = 1');
    const [rows] = await looking.query(sql);
    await looking.end();
    return rows as unknown[];
  }

  describe.each(HOSTILE)('that %s', (_, globals) => {
    it('keeps what was acknowledged, by the service and by commands, whole and unchanged', async () => {
      const database = await createMysqlDatabase(server.url(), server.adminUrl());
      await setGlobals(globals);
      const migrated = await runCommand(database, ['migrate']);
      expect(migrated).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^(applied .*\n)+The schema is current\.\n$/),
      });
      const keys: string[] = [];
      for (const name of ['one', 'two', 'three', 'four']) {
        const made = await runCommand(database, ['keys', 'create', '--name', name]);
        expect(made).toMatchObject({ code: 0 });
        keys.push(made.stdout.trim());
      }
      expect(await seen(database, 'SELECT id FROM api_key')).toHaveLength(4);
      expect((await runCommand(database, ['keys', 'list'])).stdout).toMatch(/one[^]*two[^]*three[^]*four/);
      expect(await runCommand(database, ['keys', 'revoke', keys[3] ?? ''])).toMatchObject({ code: 0 });
      expect(await seen(database, 'SELECT id FROM api_key WHERE revoked_at IS NOT NULL')).toHaveLength(1);

      const service = await Service.start({ database });
      const client = new HttpClient(service.url, keys[0] ?? '');
      const post = (key?: string) =>
        client.post(
          '/v1/pets',
          { name: NAME, categoryId: 1 },
          key === undefined ? {} : { headers: { 'idempotency-key': key } },
        );
      for (const key of [undefined, 'once', undefined, 'twice', undefined]) expect((await post(key)).status).toBe(201);
      expect((await client.get('/v1/pets')).json()).toMatchObject(Array.from({ length: 5 }, () => ({ name: NAME })));
      expect((await new HttpClient(service.url, keys[3] ?? '').get('/v1/pets')).status).toBe(401);
      await service.stop();
      const bytes = await seen(database, 'SELECT HEX(name) AS name FROM pet');
      const expected = Buffer.from(NAME).toString('hex').toUpperCase();
      expect(bytes).toStrictEqual(Array.from({ length: 5 }, () => ({ name: expected })));
      await database.drop();
    });
  });
});

onOwnServer('a server that logs statements, which takes no write at READ COMMITTED', () => {
  it('leaves the service unready and commands undone, both say why, and is used once it logs rows', async () => {
    const server = await MariaDb.start({ args: ['--log-bin=log', '--server-id=1', '--binlog-format=STATEMENT'] });
    const database = await createMysqlDatabase(server.url(), server.adminUrl());
    const migrated = await runCommand(database, ['migrate']);
    expect(migrated).toMatchObject({ code: 1, stdout: '' });
    expect(migrated.stderr).toMatch(/^The database cannot be used: mysql:.*binlog_format is STATEMENT.*\n$/);
    const service = Service.launch({ database });
    const line = await service.untilLogged(({ event }) => event === 'db.unavailable');
    expect(line).toMatchObject({ part: 'connect', user: 'store', err: { code: 'DATABASE_SESSION' } });
    expect(JSON.stringify(line)).toContain('binlog_format is STATEMENT');
    await database.query('SET GLOBAL binlog_format = ROW');
    await service.untilLogged(({ event }) => event === 'app.ready');
    await service.stop();
    await database.drop();
    await server.stop();
  });
});
