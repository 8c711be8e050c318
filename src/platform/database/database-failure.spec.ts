import { describe, expect, it } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { ApiError, coreErrors } from '../errors/index.js';
import {
  codeOf,
  databaseFailure,
  isDuplicateKey,
  isForeignKey,
  isLocked,
  isMissingTable,
  isOutage,
  isOutcomeUnknown,
  isUnavailable,
  statementFault,
} from './database-failure.js';
import { LateError } from './driver-failure.js';

const fault = (fields: object): Error => Object.assign(new Error('as the driver says'), fields);
const failed = (fields: object): QueryFailedError => new QueryFailedError('SELECT 1', [], fault(fields));

describe('what telemetry calls the fault of a statement', () => {
  it.each([
    [new LateError(1), { type: 'timeout' }],
    [fault({ errno: 1062, code: 'ER_DUP_ENTRY' }), { type: '1062', status: '1062' }],
    [failed({ errno: 1062, code: 'ER_DUP_ENTRY' }), { type: '1062', status: '1062' }],
    [fault({ errno: -104, code: 'ECONNRESET' }), { type: 'ECONNRESET' }],
    [fault({ code: 'SQLITE_FULL' }), { type: 'SQLITE_FULL', status: 'SQLITE_FULL' }],
    [fault({ code: 7 }), { type: 'unknown' }],
    [fault({ errno: 0 }), { type: 'unknown' }],
    ['no error', { type: 'unknown' }],
    [null, { type: 'unknown' }],
  ])('%p: %j', (thrown, expected) => {
    expect(statementFault(thrown)).toStrictEqual(expected);
  });
});

describe('what a feature asks of a fault', () => {
  it.each([
    ['ER_DUP_ENTRY', 1062, isDuplicateKey],
    ['SQLITE_CONSTRAINT_UNIQUE', undefined, isDuplicateKey],
    ['SQLITE_CONSTRAINT_PRIMARYKEY', undefined, isDuplicateKey],
    ['ER_NO_REFERENCED_ROW', 1216, isForeignKey],
    ['ER_ROW_IS_REFERENCED', 1217, isForeignKey],
    ['ER_ROW_IS_REFERENCED_2', 1451, isForeignKey],
    ['ER_NO_REFERENCED_ROW_2', 1452, isForeignKey],
    ['SQLITE_CONSTRAINT_FOREIGNKEY', undefined, isForeignKey],
    ['ER_LOCK_WAIT_TIMEOUT', 1205, isLocked],
  ] as const)('%s (%p) is one of them, and no other', (code, errno, is) => {
    const error = failed({ code, ...(errno !== undefined && { errno }) });
    const asked = [isDuplicateKey, isForeignKey, isLocked, isOutage, isOutcomeUnknown];
    expect(asked.filter((ask) => ask(error))).toStrictEqual([is]);
    // Also where the feature says it in its own words.
    expect(is(new Error('Taken', { cause: error }))).toBe(true);
  });

  it('is a lock and an outage where another process has the file of SQLite', () => {
    const busy = failed({ code: 'SQLITE_BUSY' });
    expect([isLocked(busy), isOutage(busy), isDuplicateKey(busy)]).toStrictEqual([true, true, false]);
  });

  it('is nothing where there is none of the database', () => {
    const asked = [isDuplicateKey, isForeignKey, isLocked, isOutage, isOutcomeUnknown];
    for (const other of [new Error('x'), 'x', undefined, new ApiError(coreErrors.internalError)])
      expect(asked.filter((ask) => ask(other))).toStrictEqual([]);
  });

  it('is no fault of the database where the system says it of something else', () => {
    const file = fault({ errno: -2, code: 'ENOENT', syscall: 'open' });
    expect([databaseFailure(file), isOutage(file)]).toStrictEqual([undefined, false]);
    for (const fields of [{ fatal: true }, { phase: 'connect' }, { outcome: 'unknown' }])
      expect(
        databaseFailure(Object.assign(fault({ errno: -104, code: 'ECONNRESET', syscall: 'read' }), fields)),
      ).toBeInstanceOf(ApiError);
  });

  it('is a table that is not there, on each engine', () => {
    expect(isMissingTable(failed({ errno: 1146, code: 'ER_NO_SUCH_TABLE' }))).toBe(true);
    expect(isMissingTable(new Error('no such table: toy'))).toBe(true);
    expect(isMissingTable(failed({ code: 'SQLITE_ERROR' }))).toBe(false);
    expect([codeOf(failed({ code: 'SQLITE_ERROR' })), codeOf(new Error('x'))]).toStrictEqual([
      'SQLITE_ERROR',
      undefined,
    ]);
  });
});

describe('what a client gets', () => {
  it.each([
    [{ errno: 1213, code: 'ER_LOCK_DEADLOCK' }],
    [{ errno: 9999, code: 'ER_ANY', phase: 'connect' }],
    [{ code: 'SQLITE_BUSY' }],
    [{ code: 'SQLITE_FULL' }],
  ])('of %j: try again', (fields) => {
    const answer = databaseFailure(failed(fields));
    expect(answer).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
    expect(answer?.message).not.toMatch(/known/);
    expect([isUnavailable(answer), isUnavailable(failed(fields))]).toStrictEqual([true, true]);
  });

  it('of a write that may have been done: that nobody knows', () => {
    const unknown = failed({ errno: 9999, code: 'ER_ANY', outcome: 'unknown' });
    expect(databaseFailure(unknown)?.message).not.toBe(databaseFailure(failed({ code: 'SQLITE_BUSY' }))?.message);
    expect(databaseFailure(unknown)?.status).toBe(503);
    expect(isOutcomeUnknown(unknown)).toBe(true);
  });

  it('of what no waiting mends: nothing of its own', () => {
    for (const fields of [
      { errno: 1064, code: 'ER_PARSE_ERROR' },
      { code: 'SQLITE_ERROR' },
      { code: 'SQLITE_CONSTRAINT' },
    ])
      expect([databaseFailure(failed(fields)), isUnavailable(failed(fields))]).toStrictEqual([undefined, false]);
  });
});
