import { expect, it } from '@jest/globals';
import { unusableDatabase } from './unusable-database.js';
import { QueryFailedError } from 'typeorm';
import { ApiError, coreErrors } from '../errors/index.js';

const fault = (code: string, errno?: number): Error => Object.assign(new Error('As the driver says'), { code, errno });
const target = { kind: 'sqlite', path: '/store' } as const;

it.each([
  ['ER_LOCK_DEADLOCK', 1213, 'Another process holds a lock. Try again'],
  ['ER_LOCK_WAIT_TIMEOUT', 1205, 'Another process holds a lock. Try again'],
  ['SQLITE_BUSY_SNAPSHOT', undefined, 'Another process holds a lock. Try again'],
  ['SQLITE_LOCKED', undefined, 'Another process holds a lock. Try again'],
  ['SQLITE_CORRUPT', undefined, 'The database cannot be used'],
  ['ER_CON_COUNT_ERROR', 1040, 'The database cannot be used'],
])('%s is told as what it is, also under what it was translated to', (code, errno, said) => {
  const failed = new QueryFailedError('SELECT 1', [], fault(code, errno));
  const translated = new ApiError(coreErrors.serviceUnavailable, undefined, { cause: failed });
  for (const thrown of [fault(code, errno), failed, translated]) {
    expect(unusableDatabase(thrown, target)?.message).toBe(`${said}: /store: As the driver says (${code})`);
  }
});

it('a fault of a program is not', () => {
  expect(unusableDatabase(fault('ER_PARSE_ERROR', 1064), target)).toBeUndefined();
  expect(unusableDatabase(new TypeError('broken'), target)).toBeUndefined();
});
