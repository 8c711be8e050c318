import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inventKey, publicIdOf, storeKey } from '../support/api-keys.js';
import { runCommand } from '../support/command.js';
import type { TestDatabase } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { HttpClient } from '../support/http.js';
import { Service } from '../support/service.js';

const HASH = 'ab'.repeat(32);
const NAME = 'acme\u001b[2J\u009b31m\u3164\u2800\u202E';
/** Characters that a terminal would act on, and invisible ones. */
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\u3164\u2800]/u;

/** Rows that `keys create` never writes. */
onEachEngine('a row of api_key that others wrote', (engine) => {
  let database: TestDatabase;
  let service: Service;
  let good: string;

  beforeAll(async () => {
    database = await engine.createDatabase();
    service = await Service.start({ database });
    good = await storeKey(database, { client: 'good' });
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  /** Inserts a row, and returns the key that has its id. */
  async function put(changes: Record<string, unknown> = {}): Promise<string> {
    const key = inventKey();
    const row = { id: publicIdOf(key), client: NAME, hash: HASH, scopes: '*', created_at: 1, ...changes };
    const marks = Object.keys(row).map(() => '?');
    await database.query(
      `INSERT INTO api_key (${Object.keys(row).join(', ')}) VALUES (${marks.join(', ')})`,
      Object.values(row),
    );
    return key;
  }

  const get = (key: string) => new HttpClient(service.url, key).get('/v1/pets');
  const BEYOND = '9000000000000000000';

  it.each([
    ['no hash', { hash: '' }],
    ['half a hash', { hash: HASH.slice(32) }],
    ['a hash of other characters', { hash: 'x'.repeat(64) }],
    ['times beyond those of a Date', { created_at: BEYOND, expires_at: BEYOND, last_used_day: BEYOND }],
    ['times before those of a Date', { created_at: `-${BEYOND}`, expires_at: `-${BEYOND}`, revoked_at: `-${BEYOND}` }],
    ['scopes that are none', { scopes: ' pets:read  \u001b[2J*,' }],
    ['no scopes', { scopes: '' }],
  ])('with %s refuses that key alone, and is listed', async (_, changes) => {
    const bad = await put(changes);
    // Neither key is cached, so one statement looks up both.
    const fresh = await storeKey(database, { client: 'good' });
    const answers = await Promise.all([get(bad), get(fresh), get(bad), get(fresh)]);
    expect(answers.map(({ status }) => status)).toEqual([401, 200, 401, 200]);
    expect(answers[0]).toBeErrorShape(401, 'invalid_api_key');
    for (const more of [[], ['--json']]) {
      const { code, stdout, stderr } = await runCommand(database, ['keys', 'list', ...more]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(publicIdOf(bad));
      expect(stdout).toContain('acme');
      expect(stdout).not.toMatch(HIDDEN);
    }
    const { code, stderr } = await runCommand(database, ['keys', 'revoke', publicIdOf(bad)]);
    expect([code, HIDDEN.exec(stderr)]).toEqual([0, null]);
    expect(service.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });

  it('whose scopes are damaged grants nothing, and one whose client is hidden is served', async () => {
    const key = await storeKey(database, { client: NAME, scopes: ['', 'pets:*', '*pets:read', '\u001b[2J'] });
    expect(await get(key)).toBeErrorShape(403, 'insufficient_scope');
    expect((await get(await storeKey(database, { client: NAME }))).status).toBe(200);
    expect((await get(good)).status).toBe(200);
  });

  it('is shown in JSON as it is', async () => {
    const key = await put({ expires_at: 1 });
    const { stdout } = await runCommand(database, ['keys', 'list', '--json']);
    const listed = JSON.parse(stdout) as { id: string }[];
    expect(listed.find(({ id }) => id === publicIdOf(key))).toMatchObject({ client: NAME, state: 'expired' });
  });

  it('is reported as damaged if no key can match it, and cannot be rolled', async () => {
    const id = publicIdOf(await put({ hash: 'ab' }));
    const { stdout } = await runCommand(database, ['keys', 'list']);
    expect(stdout.split('\n').find((line) => line.startsWith(id))).toMatch(/^\w{8} +damaged /);
    const rolled = await runCommand(database, ['keys', 'roll', id, '--overlap', '0']);
    expect(rolled).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error: Key ${id} is damaged and cannot be rolled.\n`,
    });
  });

  it('reports that it expired only to the holder of its key', async () => {
    const expired = await storeKey(database, { expiresAt: Date.now() - 1000 });
    expect(await get(expired)).toBeErrorShape(401, 'expired_api_key');
    const guess = await get(inventKey(publicIdOf(expired)));
    expect(guess).toBeErrorShape(401, 'invalid_api_key');
    const unknown = await get(inventKey());
    expect([guess.text, guess.headers.get('www-authenticate')]).toEqual([
      unknown.text,
      unknown.headers.get('www-authenticate'),
    ]);
  });
});
