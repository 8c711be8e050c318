import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Row } from '../support/database.js';
import { onEachEngine } from '../support/engines.js';
import { hosting } from '../support/hosting.js';
import { Service } from '../support/service.js';

const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 1);
/** Milliseconds that the slow migration of granary takes after its table is there. */
const SLOW_MS = 2000;

onEachEngine('a process that is killed while it migrates', (engine) => {
  it(
    'is taken over once its lease has ended, and not before: each migration is there once',
    async () => {
      const host = hosting({ features: ['features/granary.feature.ts'] });
      for (let round = 0; round < ROUNDS; round += 1) {
        const database = await engine.createDatabase();
        const rows = async (sql: string): Promise<Row[]> => {
          try {
            return await database.query(sql);
          } catch {
            // There is no such table yet.
            return [];
          }
        };
        const killed = Service.launch({ database, ...host });
        while ((await rows('SELECT owner FROM migration_lock')).length === 0) await sleep(10);
        await sleep((Math.random() * SLOW_MS) / 2);
        await killed.kill('SIGKILL');
        const [left] = await rows('SELECT owner, expires_at FROM migration_lock');
        expect(Number(left?.['expires_at']) - Date.now()).toBeLessThan(30_000);

        const next = Service.launch({ database, ...host });
        await next.untilLogged(({ event }) => event === 'app.starting', 20_000);
        await sleep(1000);
        expect(await rows('SELECT owner FROM migration_lock')).toEqual([{ owner: left?.['owner'] }]);
        // Thirty seconds later.
        await database.query('UPDATE migration_lock SET expires_at = ?', [Date.now() - 1]);
        await next.untilLogged(({ event }) => event === 'app.ready', 40_000);
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
