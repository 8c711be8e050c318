import { describe, expect, it, jest } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { ApiError, coreErrors } from '../errors/index.js';
import {
  codeOf,
  databaseFailure,
  type DriverFault,
  isDuplicateKey,
  isForeignKey,
  isLeftOpen,
  isLocked,
  isMissingTable,
  isOutage,
  isOutcomeUnknown,
  isRefusedByServer,
  isUnavailable,
  LateError,
  retryCode,
  spoilsConnection,
  statementFault,
  withDeadline,
} from './database-failure.js';
import { SessionError } from './mysql-session.js';

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
    // Also if the feature wraps the error in its own.
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

const numbered = (errno: number): DriverFault =>
  Object.assign(new Error('as the server says'), { errno, code: `ER_${errno}` });
const network = (code: string): DriverFault => Object.assign(new Error('as Node says'), { errno: -104, code });

/** The error as a repository throws it. */
const queryFailed = (fault: DriverFault) => new QueryFailedError('INSERT', [], fault);

/** The effects of a fault: on any statement, on a write outside a transaction or a COMMIT, and on its connection. */
const outcome = (fault: DriverFault) => ({
  status: databaseFailure(queryFailed(fault))?.status ?? 500,
  isUnknown: isLeftOpen(fault),
  spoils: spoilsConnection(fault),
  again: (['nothing', 'statement', 'transaction'] as const).filter((sent) => retryCode(fault, sent) !== undefined),
});

describe('a fault of MySQL', () => {
  it.each([1213, 1047])('%d: rolled back whole, so done again', (errno) => {
    const spoils = errno === 1047;
    expect(outcome(numbered(errno))).toEqual({
      status: 503,
      isUnknown: false,
      spoils,
      again: ['statement', 'transaction'],
    });
  });

  it('1205: the statement alone is rolled back, so it is done again outside a transaction only', () => {
    const lockWait = { status: 503, isUnknown: false, spoils: false, again: ['statement'] };
    expect(outcome(numbered(1205))).toEqual(lockWait);
  });

  it.each([1290, 1792, 1836])('%d: no writer any more, so its connection goes and it is done on another', (errno) => {
    const again = ['statement', 'transaction'];
    expect(outcome(numbered(errno))).toEqual({ status: 503, isUnknown: false, spoils: true, again });
  });

  it.each([1053, 1180, 1317, 1927, 1969, 3024, 4031])(
    '%d: cut off, so of a write nobody knows, and it is never repeated',
    (errno) => {
      const unknown = { status: 503, isUnknown: true, spoils: false, again: [] };
      expect(outcome(numbered(errno))).toEqual(unknown);
    },
  );

  it.each([167, 1021, 1114, 1461, 1467, 1040, 1041, 1129, 1203, 1226, 1044, 1142, 1143])(
    '%d: nothing was done, and no code mends it',
    (errno) => {
      expect(outcome(numbered(errno))).toEqual({ status: 503, isUnknown: false, spoils: false, again: [] });
    },
  );

  it.each([1062, 1146, 1366, 1665])('%d: the statement is refused, and is so again', (errno) => {
    expect(isDuplicateKey(queryFailed(numbered(errno)))).toBe(errno === 1062);
    expect(outcome(numbered(errno))).toEqual({ status: 500, isUnknown: false, spoils: false, again: [] });
  });

  it('of the network: of a write nobody knows; where nothing was sent it is tried again', () => {
    for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENOTFOUND'])
      expect(outcome(network(code))).toEqual({
        status: 503,
        isUnknown: true,
        spoils: true,
        again: ['nothing'],
      });
    const lost = Object.assign(new Error('lost'), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
    expect(outcome(lost)).toEqual({ status: 503, isUnknown: true, spoils: true, again: [] });
  });

  it('that is none in time: of a write nobody knows, and its connection goes', () => {
    expect(outcome(new LateError(1))).toEqual({ status: 503, isUnknown: true, spoils: true, again: [] });
  });

  it.each([new TypeError('a value that is none'), new Error('whatever')])(
    'that neither the server nor the network says (%s) is a fault of the program',
    (fault) => {
      expect(outcome(fault)).toEqual({ status: 500, isUnknown: false, spoils: false, again: [] });
    },
  );

  it('is an outage where the database cannot be used, not where others were in the way', () => {
    const outages = [1290, 1040, 1053].map(numbered).map(failed);
    expect(outages.map(isOutage)).toEqual([true, true, true]);
    const others = [1213, 1205, 1062].map(numbered).map(failed);
    expect(others.map(isOutage)).toEqual([false, false, false]);
    expect(others.map(isLocked)).toEqual([true, true, false]);
  });

  it('is a refusal where the server answered', () => {
    expect([numbered(1045), new SessionError(['x'])].map(isRefusedByServer)).toEqual([true, true]);
    expect([network('ECONNREFUSED'), new LateError(1)].map(isRefusedByServer)).toEqual([false, false]);
  });
});

it('ends a wait that takes too long, by an error that says for how long', async () => {
  const late = withDeadline(5, new Promise(() => undefined));
  await expect(late).rejects.toThrow(new LateError(5));
  await expect(late).rejects.toMatchObject({
    name: 'LateError',
    code: 'DATABASE_TIMEOUT',
    message: 'No answer from the database within 5 ms',
  });
});

it('gives what comes in time, or what it fails with, and leaves no timer', async () => {
  jest.useFakeTimers();
  await expect(withDeadline(1000, Promise.resolve(7))).resolves.toBe(7);
  await expect(withDeadline(1000, Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  expect(jest.getTimerCount()).toBe(0);
  jest.useRealTimers();
});
