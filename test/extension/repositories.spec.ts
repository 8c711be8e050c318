import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { storeKey } from '../support/api-keys.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { onEachEngine, onOwnServer } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { HttpClient, type Answer } from '../support/http.js';
import { MariaDb } from '../support/mariadb.js';
import { Service } from '../support/service.js';

const { program, env } = hosting({ features: ['features/library.feature.ts'] });

const EXACT = {
  insert: [],
  insertSeveral: [],
  insertMixed: [],
  save: [],
  saveSeveral: [],
  saveOwnIds: [],
  cascade: [],
  upsertOne: [],
  upsertSeveral: [],
  ignoreOne: [],
  ignoreSeveral: [],
};

onEachEngine('a feature of ordinary TypeORM repositories', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let client: HttpClient;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database, program, env });
    client = new HttpClient(service.url, await storeKey(database));
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  const post = (what: string, headers: Record<string, string> = {}): Promise<Answer> =>
    client.post(`/v1/library/runs/${what}/Ann%20${what}`, undefined, { headers });
  const run = async (what: string): Promise<unknown> => {
    const answer = await post(what);
    if (answer.status !== 201) throw new Error(`${answer.text} ${service.output.split('\n').slice(-9).join('\n')}`);
    return (answer.json() as { answer: unknown }).answer;
  };

  it('saves by cascade, and reads values of the same types on every engine', async () => {
    expect(await run('values')).toStrictEqual({
      title: 'One',
      shelf: 7,
      price: '19.90',
      isLent: false,
      tags: ['a', { b: 1 }],
      cover: [0, 255],
      summary: '5',
      boughtAt: '2026-01-02T03:04:05.678Z',
      printedOn: '2025-12-31',
      version: 1,
      deletedAt: null,
      kinds: ['bigint', 'number', 'string', true, true],
      books: 2,
    });
  });

  it('pages, joins, sums and deletes softly', async () => {
    expect(await run('queries')).toStrictEqual({
      page: ['Two'],
      count: 2,
      joined: [1],
      raw: { many: 1, most: 7 },
      left: 1,
      all: 2,
    });
  });

  it('refuses a stale version', async () => {
    expect(await run('stale')).toBe('version 2, refused');
  });

  it('gets the errors of violated unique and foreign keys', async () => {
    expect(await run('violations')).toStrictEqual({ twice: true, orphan: true, named: true });
  });

  it('locks rows, writes what its subscriber adds in the same transaction, and shares locks to read', async () => {
    expect(await run('acquire')).toStrictEqual({ name: 'Ann acquire' });
    expect(await database.query('SELECT author FROM library_entry WHERE author = ?', ['Ann acquire'])).toHaveLength(1);
    expect(await run('compare')).toBe(false);
  });

  it('has one transaction over injected repositories', async () => {
    expect(await run('together')).toStrictEqual({ message: 'rolled back', authors: ['kept'], books: ['kept'] });
  });

  it('gets exact ids beyond 2^53 for one row and for several', async () => {
    expect(await run('wrong-ids')).toStrictEqual(EXACT);
    expect(await run('ids')).toStrictEqual({ apart: ['1', '2', '3', '4'], found: ['1', '2', '3'] });
    expect((await client.post('/v1/library/runs/wrong-ids/Beyond', undefined)).json()).toEqual({ answer: EXACT });
  });

  it.each([
    ['unlocked', 'An open transaction is required for pessimistic lock.'],
    ['ended', 'A statement came after the end of its transaction; await in it all that is to be done in it'],
  ])('has its mistake in the log, with its name (%s)', async (mistake, message) => {
    expect(await post(mistake)).toBeErrorShape(500, 'internal_error');
    const failed = await service.untilLogged(
      (line) => (line['err'] as { message?: string } | undefined)?.message === message,
    );
    expect(failed).toMatchObject({ level: 'error', feature: 'library' });
    expect(await database.query('SELECT name FROM library_author WHERE name = ?', [`Ann ${mistake}`])).toEqual([]);
  });

  it.each(['development', 'test'])(
    'has what the engine says of a wrong statement in its log in %s alone',
    async (mode) => {
      const other = await Service.start({ database, program, env: { ...env, NODE_ENV: mode } });
      const asked = new HttpClient(other.url, await storeKey(database));
      expect(await asked.post('/v1/library/runs/column/Canary4711', undefined)).toBeErrorShape(500, 'internal_error');
      const failed = await other.untilLogged(({ event }) => event === 'request.failed');
      expect(failed).toMatchObject({
        feature: 'library',
        err: { stack: expect.stringContaining('library.feature.ts:') },
      });
      const refused = other.log.filter(({ event }) => event === 'db.statement_refused');
      const line = {
        level: 'warn',
        feature: 'library',
        statement: expect.stringContaining('nmae'),
        msg: expect.stringMatching(/^The database refused a statement: .*nmae/),
        sent_by: expect.stringMatching(/acquisitions\.service\.ts:\d+/),
      };
      expect(refused).toEqual(mode === 'development' ? [expect.objectContaining(line)] : []);
      expect(other.output).not.toContain('Canary4711');
      if (mode === 'test') expect(other.output).not.toMatch(/nmae|SELECT/);
      await other.stop();
    },
  );

  it('joins the transaction of an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' };
    expect((await post('fail', headers)).status).toBe(500);
    const [lost] = await database.query("SELECT COUNT(*) AS n FROM library_author WHERE name = 'Ann fail'");
    expect(Number(lost?.['n'])).toBe(0);
    const answers = [await post('write', headers), await post('write', headers)];
    expect(answers.map(({ status, headers: sent }) => [status, sent.get('idempotent-replayed')])).toStrictEqual([
      [201, null],
      [201, 'true'],
    ]);
    const [kept] = await database.query("SELECT COUNT(*) AS n FROM library_author WHERE name = 'Ann write'");
    expect(Number(kept?.['n'])).toBe(1);
  });
});

onOwnServer('a server whose ids are three apart', () => {
  it('says each of them, in whichever way rows are inserted, also beyond 2^53', async () => {
    const server = await MariaDb.start({ args: ['--auto-increment-increment=3', '--auto-increment-offset=2'] });
    const database = await createMysqlDatabase(server.url(), server.adminUrl());
    const service = await Service.start({ database, program, env }, 60_000);
    const client = new HttpClient(service.url, await storeKey(database));
    for (const path of ['wrong-ids/Small', 'ids/Far', 'wrong-ids/Beyond']) {
      const answer = await client.post(`/v1/library/runs/${path}`, undefined);
      expect(answer.status).toBe(201);
      if (path.startsWith('wrong')) expect(answer.json()).toEqual({ answer: EXACT });
    }
    const [last] = await database.query('SELECT MAX(id) - MIN(id) AS apart FROM library_author WHERE name LIKE ?', [
      'Beyond several%',
    ]);
    expect(last).toEqual({ apart: 6n });
    await service.stop();
    await server.stop();
  });
});
