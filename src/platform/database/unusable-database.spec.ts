import { expect, it } from '@jest/globals';
import { LateError } from './deadline.js';
import { SessionError } from './mysql-session.js';
import { UnusableDatabase, unusableDatabase } from './unusable-database.js';
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

it('whatever ends a connection is, and so is who may not use it', () => {
  const outside = [
    new LateError(5),
    new SessionError(['autocommit is 0, not 1']),
    Object.assign(fault('PROTOCOL_CONNECTION_LOST'), { fatal: true }),
    ...[1045, 1049, 1227, 1698].map((errno) => fault(`ER_${errno}`, errno)),
    fault('ECONNREFUSED', -111),
  ];
  for (const thrown of outside) expect(unusableDatabase(thrown, target)).toBeInstanceOf(UnusableDatabase);
});

it('is told on one line, with its code once', () => {
  const told = (message: string, code?: string): string | undefined =>
    unusableDatabase(Object.assign(new Error(message), { code, fatal: true }), target)?.message;
  expect(told('connect ECONNREFUSED 127.0.0.1', 'ECONNREFUSED')).toBe(
    'The database cannot be used: /store: connect ECONNREFUSED 127.0.0.1',
  );
  expect(told('away')).toBe('The database cannot be used: /store: away');
  expect(told('two\nlines\u001b[31m', 'X')).toBe('The database cannot be used: /store: two lines [31m (X)');
});

it('is what the first of several addresses said', () => {
  const errors = [fault('ECONNREFUSED', -111), fault('EHOSTUNREACH', -113)];
  expect(unusableDatabase(new AggregateError(errors), target)?.message).toContain('(ECONNREFUSED)');
});
