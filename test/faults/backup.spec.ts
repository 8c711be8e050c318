import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publicIdOf, storeKey } from '../support/api-keys.js';
import { PATIENT, projectFolder, runCommand } from '../support/command.js';
import { createMysqlDatabase, type TestDatabase } from '../support/database.js';
import { HttpClient } from '../support/http.js';
import { findDatabaseServer, MariaDb } from '../support/mariadb.js';
import { findExecutable, findProgram } from '../support/programs.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

const script = (name: string): string => join(projectFolder, 'deploy/backup', name);
const binary = findDatabaseServer();
const isMariaDb = binary?.includes('mariadbd') === true;
/** The client programs of the tested server: those in its folder, or those that this machine has for MariaDB. */
const clients = (isMariaDb ? ['mariadb-dump', 'mariadb', 'mariadb-binlog'] : ['mysqldump', 'mysql', 'mysqlbinlog']).map(
  (name) => findExecutable(dirname(binary ?? '/'), name) ?? (isMariaDb ? findProgram(name) : undefined),
);
const canRun = binary !== undefined && clients.every((client) => client !== undefined);

interface Pet {
  readonly name: string;
}

/** The drill of docs/operating/databases.md, while clients write to the service. */
(canRun ? describe : describe.skip)('a backup', () => {
  const folder = scratchFolder('backup');
  const dump = join(folder, 'animal-store.sql');
  /** The scripts find only the client programs of this server on PATH. */
  const programs = join(folder, 'bin');
  let server: MariaDb;
  let other: MariaDb;
  let source: TestDatabase;
  let service: Service;
  let client: HttpClient;
  const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

  /** restore.sh reads times in the time zone of its process. */
  const run = (file: string, args: readonly string[], options = {}) =>
    promisify(execFile)(file, args, { ...options, env: { PATH: programs, TZ: 'UTC' } });

  function loginOf({ port }: MariaDb): string {
    const file = join(folder, `${String(port)}.cnf`);
    writeFileSync(file, `[client]\nhost=127.0.0.1\nport=${String(port)}\nuser=root\n`);
    return file;
  }

  /** Creates pets one after another. Returns the names by their acknowledged ids. */
  async function add(names: readonly string[]): Promise<Map<bigint, string>> {
    const added = new Map<bigint, string>();
    for (const name of names) {
      const { status, headers } = await client.post('/v1/pets', { name, categoryId: 1 });
      expect(status).toBe(201);
      added.set(BigInt(headers.get('location')!.split('/').at(-1)!), name);
    }
    return added;
  }

  async function petsOf(database: TestDatabase): Promise<Map<unknown, unknown>> {
    return new Map((await database.query('SELECT id, name FROM pet')).map(({ id, name }) => [id, name]));
  }

  /** Restores into an empty database of the same name on another server. Returns the output of restore.sh. */
  async function restore(...more: readonly string[]): Promise<{ database: TestDatabase; output: string }> {
    const database = await createMysqlDatabase(other.url(), other.adminUrl(), nameOf(source));
    try {
      const { stdout } = await run(script('restore.sh'), [loginOf(other), nameOf(source), dump, ...more]);
      return { database, output: stdout };
    } catch (error) {
      await database.drop();
      throw error;
    }
  }

  async function serving<T>(database: TestDatabase, work: (url: string) => Promise<T>): Promise<T> {
    const restored = await Service.start({ database, env: { MIGRATIONS: 'check' } });
    try {
      return await work(restored.url);
    } finally {
      await restored.stop();
    }
  }

  /** The pages from `path` on, with the link from each to the next. */
  async function walk(of: HttpClient, path: string, pages = Infinity): Promise<{ pets: Pet[]; next: string[] }> {
    const [pets, next]: [Pet[], string[]] = [[], []];
    for (let at: string | undefined = path; at !== undefined && pages > 0; pages -= 1) {
      const answer = await of.get(at);
      expect(answer.status).toBe(200);
      pets.push(...(answer.json() as Pet[]));
      const link = /<([^>]*)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      at = link === undefined ? undefined : new URL(link, service.url).pathname + new URL(link, service.url).search;
      if (at !== undefined) next.push(at);
    }
    return { pets, next };
  }

  let key: string;
  let revoked: string;
  /**
   * The links after two pages: one with the first two pets, and one with the first pet that was created after the dump.
   */
  let cursors: { inside: string; behind: string };
  let before: Map<bigint, string>;
  let after: Map<bigint, string>;
  let moment: string;

  beforeAll(async () => {
    mkdirSync(programs);
    for (const program of [...clients, ...['sed', 'head', 'mktemp', 'rm'].map((name) => findProgram(name))]) {
      symlinkSync(program!, join(programs, basename(program!)));
    }
    const args = ['--log-bin=binlog', '--server-id=1'];
    [server, other] = await Promise.all([MariaDb.start({ args }), MariaDb.start()]);
    source = await createMysqlDatabase(server.url(), server.adminUrl());
    service = await Service.start({ database: source, env: PATIENT });
    [key, revoked] = [await storeKey(source), await storeKey(source, { client: 'leaked' })];
    client = new HttpClient(service.url, key);
    before = await add(['Otso', 'Rex', "O'Hara", '🐕']);
    const statuses: number[] = [];
    const dumped = new AbortController();
    const writing = (async () => {
      while (!dumped.signal.aborted) {
        statuses.push((await client.post('/v1/pets', { name: 'meanwhile', categoryId: 1 })).status);
      }
    })();
    const dumping = run(script('back-up.sh'), [loginOf(server), nameOf(source)], { maxBuffer: 64 * 1024 ** 2 });
    writeFileSync(dump, (await dumping).stdout);
    dumped.abort();
    await writing;
    expect(statuses.filter((status) => status !== 201)).toEqual([]);
    expect((await runCommand(source, ['keys', 'revoke', publicIdOf(revoked)])).code).toBe(0);
    after = await add(['after the dump', 'still before the accident']);
    const [inside] = (await walk(client, '/v1/pets?limit=2', 1)).next;
    const last = (await walk(client, '/v1/pets?limit=100')).next.at(-1) ?? '/v1/pets?limit=100';
    const behind = (await walk(client, last.replace('limit=100', 'limit=1'))).next.at(-1);
    cursors = { inside: inside!, behind: behind! };
    await sleep(1100);
    moment = new Date().toISOString().slice(0, 19).replace('T', ' ');
    await sleep(1100);
    await source.query('DELETE FROM pet');
  });

  afterAll(async () => {
    await service.stop();
    await Promise.all([server.stop(), other.stop()]);
    removeScratch(folder);
  });

  it('has every pet that was acknowledged before it began; a key that was revoked since is good again, and told', async () => {
    const { database, output } = await restore();
    expect([...(await petsOf(database))]).toStrictEqual(expect.arrayContaining([...before]));
    expect(output).toContain(`${publicIdOf(revoked)}\tleaked`);
    await serving(database, async (url) => {
      expect((await new HttpClient(url, revoked).get('/v1/pets')).status).toBe(200);
      expect((await runCommand(database, ['keys', 'revoke', publicIdOf(revoked)])).code).toBe(0);
      const refused = async (): Promise<boolean> => (await new HttpClient(url, revoked).get('/v1/pets')).status === 401;
      while (!(await refused())) await sleep(100);
    });
    await database.drop();
  });

  it('gives no id again that was in it, but those that came after it, unless they are raised as it says', async () => {
    const { database, output } = await restore();
    const dumped = [...(await petsOf(database)).keys()].map(BigInt as (id: unknown) => bigint);
    const highest = dumped.reduce((most, id) => (id > most ? id : most), 0n);
    expect(BigInt(/^pet\t(\d+)$/m.exec(output)![1]!)).toBeGreaterThan(highest);
    const [last] = [...after.keys()].slice(-1);
    await database.query(`ALTER TABLE pet AUTO_INCREMENT = ${String(last! + 1n)}`);
    await serving(database, async (url) => {
      const { headers } = await new HttpClient(url, key).post('/v1/pets', { name: 'new', categoryId: 1 });
      expect(BigInt(headers.get('location')!.split('/').at(-1)!)).toBe(last! + 1n);
    });
    await database.drop();
  });

  it('takes the cursors that were given out before: they go on behind the same pet, or there is nothing behind', async () => {
    const { database } = await restore();
    const names = [...before.values()];
    await serving(database, async (url) => {
      const restored = new HttpClient(url, key);
      const { pets } = await walk(restored, cursors.inside);
      expect(pets.slice(0, 2).map(({ name }) => name)).toEqual(names.slice(2));
      expect(pets).toHaveLength((await petsOf(database)).size - 2);
      expect(await walk(restored, cursors.behind)).toEqual({ pets: [], next: [] });
    });
    await database.drop();
  });

  it('and the binary log bring back the moment before an accident: pets, ids and the revocation', async () => {
    const { database, output } = await restore(loginOf(server), moment);
    expect([...(await petsOf(database))]).toStrictEqual(expect.arrayContaining([...before, ...after]));
    expect(output).not.toContain(publicIdOf(revoked));
    await serving(database, async (url) => {
      expect((await new HttpClient(url, revoked).get('/v1/pets')).status).toBe(401);
      expect((await new HttpClient(url, key).get('/v1/pets?limit=100')).status).toBe(200);
    });
    await database.drop();
  });

  it('is not restored to a moment without the binary log, and says so', async () => {
    const nowhere = join(folder, 'nowhere.cnf');
    writeFileSync(nowhere, '[client]\nhost=127.0.0.1\nport=1\nuser=root\n');
    await expect(restore(nowhere, moment)).rejects.toMatchObject({
      code: expect.any(Number),
      stdout: '',
      stderr: expect.stringMatching(/connect/i),
    });
  });

  it('is not restored into a database that holds something', async () => {
    const refused = run(script('restore.sh'), [loginOf(server), nameOf(source), dump]);
    await expect(refused).rejects.toMatchObject({ code: 1, stderr: `${nameOf(source)} is not empty\n` });
  });
});
