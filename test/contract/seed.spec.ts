import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../support/command.js';
import { onEachEngine } from '../support/engines.js';

onEachEngine('seed', (engine) => {
  it('fills an empty database with plausible pets, and a filled one only with --add', async () => {
    const database = await engine.createDatabase();
    const seed = (...args: readonly string[]) => runCommand(database, ['seed', ...args]);
    try {
      // Needs more than one statement, the last of which is not full.
      expect(await seed('--count', '4321')).toMatchObject({ code: 0, stdout: '4321 rows added to pet\n' });
      const byStatus = 'SELECT status, COUNT(*) AS pets FROM pet GROUP BY status ORDER BY status';
      const pets = await database.query(byStatus);
      expect(pets.map((row) => row['status'])).toStrictEqual(['available', 'pending', 'sold']);
      expect(Math.min(...pets.map((row) => Number(row['pets'])))).toBeGreaterThan(50);
      expect(await database.query('SELECT COUNT(DISTINCT name) AS names FROM pet')).toEqual([{ names: 4321n }]);
      const rows = await database.query('SELECT * FROM pet');
      const columns = Object.keys(rows[0] ?? {});
      // A column without samples has one value at most.
      expect(columns.filter((name) => new Set(rows.map((row) => row[name])).size < 2)).toEqual([]);

      const refused = await seed('--count', '1');
      expect(refused).toMatchObject({ code: 1, stdout: '' });
      expect(refused.stderr).toContain('pet has rows already; --add adds to them');
      expect(await seed('--count', '1', '--add')).toMatchObject({ code: 0, stdout: '1 row added to pet\n' });
      expect(await database.query('SELECT COUNT(*) AS pets FROM pet')).toEqual([{ pets: 4322n }]);
    } finally {
      await database.drop();
    }
  });

  it.each(['seed --count 1', 'keys list', 'keys create --name me'])(
    'without its tables: %s says what to run first',
    async (words) => {
      const database = await engine.createDatabase();
      try {
        // Creates the file if the engine is SQLite.
        await database.query('SELECT 1');
        const { code, stdout, stderr } = await runCommand(database, words.split(' '), { MIGRATIONS: 'check' });
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(/^The database cannot be used: .+: its schema is behind\. Run 'migrate' first\n$/);
      } finally {
        await database.drop();
      }
    },
  );
});

describe('seed', () => {
  it('refuses an invalid count', async () => {
    const { code, stderr } = await runCommand({ url: 'sqlite::memory:' }, ['seed', '--count', '1.5']);
    expect(code).toBe(2);
    expect(stderr).toContain('whole number from 1 on');
  });
});
