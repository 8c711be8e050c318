import { describe, expect, it, jest } from '@jest/globals';
import { QueryFailedError } from 'typeorm';
import { databaseFailure, isDuplicateKey, isLocked, isOutage } from './database-failure.js';
import {
  isLeftOpen,
  isRefusedByServer,
  LateError,
  type MysqlFault,
  withDeadline,
  retryCode,
  spoilsConnection,
} from './driver-failure.js';
import { SessionError } from './mysql-session.js';

const numbered = (errno: number): MysqlFault =>
  Object.assign(new Error('as the server says'), { errno, code: `ER_${errno}` });
const network = (code: string): MysqlFault => Object.assign(new Error('as Node says'), { errno: -104, code });

/** As a repository gets it. */
const failed = (fault: MysqlFault) => new QueryFailedError('INSERT', [], fault);

/** What becomes of a fault: of any statement, of a write outside a transaction or a commit, and of its connection. */
const outcome = (fault: MysqlFault) => ({
  status: databaseFailure(failed(fault))?.status ?? 500,
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
    expect(isDuplicateKey(failed(numbered(errno)))).toBe(errno === 1062);
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
