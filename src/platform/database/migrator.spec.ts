import { describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { MigrationError } from './migrator.js';

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
