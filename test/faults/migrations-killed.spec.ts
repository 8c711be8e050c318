import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { emptyFolder, programEnvironment, runCommand } from '../support/command.js';
import type { Row, TestDatabase } from '../support/database.js';
import { onEachEngine, onMysql } from '../support/engines.js';
import { FakeTime } from '../support/fake-time.js';
import { hosting } from '../support/hosting.js';
import { Service, type LogLine } from '../support/service.js';
import { spawnTethered } from '../support/tethered.js';

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);
/** Milliseconds that the slow migration of granary takes after it has created its table. */
const SLOW_MS = 2000;

/** No rows if the table does not exist yet. */
async function rowsOf(database: TestDatabase, sql: string): Promise<Row[]> {
  try {
    return await database.query(sql);
  } catch {
    return [];
  }
}

onEachEngine('the command migrate that is asked to stop', (engine) => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('by %s ends the migration that is under way, and gives its lock back', async (signal, code) => {
    const database = await engine.createDatabase();
    const { program, env } = hosting({ features: ['features/granary.feature.ts'] });
    // Both outputs in one pipe. With two pipes, their order could be lost.
    const together = ['-c', 'exec "$0" "$@" 2>&1', process.execPath, program, 'migrate'];
    const command = spawnTethered('sh', together, {
      cwd: emptyFolder,
      env: programEnvironment(database.url, env),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    command.stdout?.on('data', (text: Buffer) => (output += String(text)));
    const exited = once(command, 'close');
    const arePetsThere = async (): Promise<boolean> =>
      (await rowsOf(database, 'SELECT name FROM migration')).some(({ name }) => name === 'CreatePets1764201600000');
    while (!(await arePetsThere())) await sleep(10);
    await sleep(SLOW_MS / 4);
    command.kill(signal);
    expect(await exited).toEqual([code, null]);
    expect(output).toMatch(/^applying CreateGrains1764300200000\napplied CreateGrains1764300200000$/m);
    expect(output).toContain(`Stopped by ${signal}: what was under way is done`);
    expect(await database.query('SELECT owner FROM migration_lock')).toEqual([]);
    expect(await runCommand(database, ['migrate'], env, program)).toMatchObject({ code: 0 });
    await database.drop();
  });

  it('also ends the undo that is under way, and removes the record of the migration', async () => {
    const database = await engine.createDatabase();
    const { program, env } = hosting({ features: ['features/granary.feature.ts'] });
    expect(await runCommand(database, ['migrate'], env, program)).toMatchObject({ code: 0 });
    const command = spawnTethered(process.execPath, [program, 'migrate', '--undo', 'granary', '--yes'], {
      cwd: emptyFolder,
      env: programEnvironment(database.url, { ...env, FEATURES_OFF: 'granary' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(command, 'close');
    let output = '';
    command.stdout?.on('data', (text: Buffer) => (output += String(text)));
    command.stderr?.on('data', (text: Buffer) => {
      if (String(text).includes('undoing')) command.kill('SIGTERM');
    });
    expect(await exited).toEqual([143, null]);
    expect(output).toBe('undone CreateGrains1764300200000\n');
    const names = (await database.query('SELECT name FROM migration')).map(({ name }) => name);
    expect(names).not.toContain('CreateGrains1764300200000');
    expect(await database.query('SELECT owner FROM migration_lock')).toEqual([]);
    await database.drop();
  });
});

onEachEngine('a process that is killed while it migrates', (engine) => {
  it(
    'is taken over once its lease has ended, and not before: each migration is there once',
    async () => {
      const host = hosting({ features: ['features/granary.feature.ts'] });
      for (let round = 0; round < ROUNDS; round += 1) {
        const database = await engine.createDatabase();
        const rows = (sql: string): Promise<Row[]> => rowsOf(database, sql);
        const killed = Service.launch({ database, ...host });
        while ((await rows('SELECT owner FROM migration_lock')).length === 0) await sleep(10);
        await sleep((Math.random() * SLOW_MS) / 2);
        await killed.kill('SIGKILL');
        const [left] = await rows('SELECT owner, expires_at FROM migration_lock');
        expect(Number(left?.['expires_at']) - Date.now()).toBeLessThan(30_000);

        const next = Service.launch({ database, ...host });
        await next.untilLogged(({ event }) => event === 'app.starting');
        await sleep(1000);
        expect(await rows('SELECT owner FROM migration_lock')).toEqual([{ owner: left?.['owner'] }]);
        // As if thirty seconds had passed.
        await database.query('UPDATE migration_lock SET expires_at = ?', [Date.now() - 1]);
        await next.untilLogged(({ event }) => event === 'app.ready', 40_000);
        const lines = next.log.filter(({ event }) => String(event).startsWith('migration.'));
        expect(lines.slice(0, 1)).toMatchObject([{ event: 'migration.waiting', level: 'info' }]);
        const [begun, done] = [`migration.started`, `migration.applied`].map((name) =>
          lines.filter(({ event }) => event === name).map(({ migration }) => migration),
        );
        expect(begun).toContain('CreateGrains1764300200000');
        expect(done).toStrictEqual(begun);
        const names = (await rows('SELECT name FROM migration')).map(({ name }) => name);
        expect(names).toContain('CreateGrains1764300200000');
        expect(new Set(names).size).toBe(names.length);
        expect(await rows('SELECT owner FROM migration_lock')).toEqual([]);
        expect(next.log.filter(({ level }) => level === 'error')).toEqual([]);
        await next.stop();
        await database.drop();
      }
    },
    90_000 * ROUNDS,
  );
});

onMysql('the lock of a migration', (engine) => {
  it('is renewed where the pool has one connection, which the migration has', async () => {
    const database = await engine.createDatabase();
    const { program, env } = hosting({ features: ['features/dawdler.feature.ts'], env: { DATABASE_POOL_SIZE: '1' } });
    const { code, stderr } = await runCommand(database, ['migrate'], env, program);
    expect(stderr).toMatch(/^(applying .*\n)+$/);
    expect(code).toBe(0);
    await database.drop();
  });

  it('is not taken from a process that holds it by one whose clock is a day ahead', async () => {
    const database = await engine.createDatabase();
    await database.query('CREATE TABLE migration_lock (id INT PRIMARY KEY, owner VARCHAR(36), expires_at BIGINT)');
    await database.query("INSERT INTO migration_lock VALUES (1, 'another', ?)", [Date.now() + 20_000]);
    const time = new FakeTime({ timers: false });
    await time.jump('+90000');
    const ahead = Service.launch({ database, env: time.env });
    await ahead.untilLogged(({ event }) => event === 'migration.waiting');
    expect(await database.query('SELECT owner FROM migration_lock')).toEqual([{ owner: 'another' }]);
    await database.query('DELETE FROM migration_lock');
    await ahead.untilLogged(({ event }) => event === 'app.ready');
    await ahead.stop();
    time.remove();
    await database.drop();
  });

  it('that another process took over meanwhile ends the work after that migration, until it is free again', async () => {
    const database = await engine.createDatabase();
    const host = hosting({ features: ['features/granary.feature.ts', 'features/tasks.feature.ts'] });
    const service = Service.launch({ database, ...host });
    const started = ({ event, feature }: LogLine): boolean => event === 'migration.started' && feature === 'granary';
    await service.untilLogged(started, 60_000);
    await database.query("UPDATE migration_lock SET owner = 'another', expires_at = ?", [Date.now() + 60_000]);
    await service.untilLogged(({ event }) => event === 'migration.waiting');
    const toldOf = (name: string): readonly unknown[] =>
      service.log.filter(({ feature }) => feature === name).map(({ event }) => event);
    expect(toldOf('granary')).toStrictEqual(['migration.started', 'migration.applied']);
    expect(toldOf('tasks')).toStrictEqual([]);
    await database.query('DELETE FROM migration_lock');
    await service.untilLogged(({ event }) => event === 'app.ready');
    expect(toldOf('tasks').slice(0, 2)).toStrictEqual(['migration.started', 'migration.applied']);
    await service.stop();
    await database.drop();
  });
});
