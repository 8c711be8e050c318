import { describe, expect, it, jest } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { MigrationError, Migrator } from './migrator.js';
import type { PlatformDataSource } from './platform-data-source.js';

const step = { feature: 'toys', name: 'CreateToys1500000000000' };
const begin = "Migration CreateToys1500000000000 of feature 'toys' failed: ";

describe('a migration that failed', () => {
  it('is told with the reason, and with the calls that led to it', () => {
    const cause = new TypeError('runner.create is not a function');
    const { message, stack } = new MigrationError(step, cause);
    expect(message).toBe(`${begin}runner.create is not a function`);
    expect(stack).toBe(`${message}\n${cause.stack?.split('\n').slice(1).join('\n')}`);
  });

  it("is told without the engine's own words, which may hold values", () => {
    const driver = Object.assign(new Error("Duplicate entry 'canary'"), { code: 'ER_DUP_ENTRY' });
    const { message, stack } = new MigrationError(step, new QueryFailedError("INSERT 'canary'", ['canary'], driver));
    expect(message).toBe(`${begin}The database failed (ER_DUP_ENTRY)`);
    expect(stack).not.toContain('canary');
  });

  it('is told whatever was thrown', () => {
    expect(new MigrationError(step, 'no milk').message).toBe(`${begin}no milk`);
  });
});

it('is the fault to report, and its connection is given back, also where that cannot be made as it was', async () => {
  const runner = {
    isTransactionActive: false,
    beforeMigration: () => Promise.resolve(),
    startTransaction: () => Promise.reject(new Error('the real one')),
    afterMigration: () => Promise.reject(new Error('connection lost')),
    release: jest.fn(() => Promise.resolve()),
  };
  const dataSource = {
    options: { type: 'mysql' },
    migrations: [],
    createMigrationRunner: () => runner,
    ask: (sql: string) => Promise.resolve(sql.includes('FROM migration ') ? [] : [{ id: 1 }]),
  };
  class CreateToys1500000000000 {
    readonly up = (): Promise<void> => Promise.resolve();
    readonly down = (): Promise<void> => Promise.resolve();
  }
  const sources = [{ name: 'toys', migrations: [CreateToys1500000000000] }];
  const listener = { waiting: jest.fn(), unrenewed: jest.fn(), started: jest.fn(), done: jest.fn() };
  const migrator = new Migrator(dataSource as unknown as PlatformDataSource, sources, listener);
  await expect(migrator.run()).rejects.toThrow(new MigrationError(step, new Error('the real one')));
  expect(runner.release).toHaveBeenCalledTimes(1);
  expect(listener.done).not.toHaveBeenCalled();
});
