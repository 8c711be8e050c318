import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { QueryFailedError } from 'typeorm';
import { loadConfig } from '../config/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { DatabaseOutages, nameTlsFault, UnusableDatabase, unusableDatabase } from './database-outages.js';
import { LateError } from './database-failure.js';
import { SessionError } from './mysql-session.js';

let lines: Record<string, unknown>[];
let outages: DatabaseOutages;

const fault = (code: string): Error => Object.assign(new Error('failed'), { code });
const told = (): unknown[] => lines.map(({ event, part }) => `${String(event)} ${String(part)}`);

beforeEach(() => {
  lines = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  outages = new DatabaseOutages(pino({}, { write }));
});

describe('DatabaseOutages', () => {
  it('tells an outage once, however many fail, and once that it is over', () => {
    for (let n = 0; n < 100; n += 1) outages.failed('connect', fault('ECONNREFUSED'), performance.now());
    for (let n = 0; n < 100; n += 1) outages.worked('connect');
    expect(told()).toStrictEqual(['db.unavailable connect', 'db.recovered connect']);
  });

  it('tells each further cause once, however they alternate', () => {
    for (let n = 0; n < 10; n += 1) {
      outages.failed('connect', fault('ECONNREFUSED'), performance.now());
      outages.failed('connect', fault('ETIMEDOUT'), performance.now());
    }
    expect(told()).toStrictEqual(['db.unavailable connect', 'db.unavailable connect']);
  });

  it('takes what failed while another worked for its own misfortune', () => {
    const startedAt = performance.now() - 1;
    outages.worked('write');
    outages.failed('write', fault('DATABASE_TIMEOUT'), startedAt);
    expect(told()).toStrictEqual([]);
  });

  it('ends the outage of writes by a write, not by a read; that of connections by either', () => {
    outages.failed('connect', fault('ECONNREFUSED'), performance.now());
    outages.failed('write', fault('ER_RECORD_FILE_FULL'), performance.now());
    outages.worked('read');
    expect(told()).toStrictEqual(['db.unavailable connect', 'db.unavailable write', 'db.recovered connect']);
    outages.worked('write');
    expect(told().at(-1)).toBe('db.recovered write');
  });
});

describe('a line of an outage', () => {
  const lineOf = (url: string, fail: (outages: DatabaseOutages) => void): Record<string, unknown> | undefined => {
    const { database } = loadConfig({ NODE_ENV: 'test', DATABASE_URL: url });
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const of = DatabaseOutages.of(pino({}, { write }), database);
    fail(of);
    return lines.at(-1);
  };
  const refused = Object.assign(new Error('Access denied'), { code: 'ER_ACCESS_DENIED_ERROR', errno: 1045 });

  it('says which server refuses whose login', () => {
    const line = lineOf('mysql://ann:word@db.example:3307/store', (of) => of.failed('connect', refused, 1));
    expect(line).toMatchObject({
      host: 'db.example:3307',
      user: 'ann',
      part: 'connect',
      msg: 'The database refuses the login; trying again. Check its password, grants and locks',
    });
    expect(line).not.toHaveProperty('file');
  });

  it('says which file it is', () => {
    const line = lineOf('sqlite:/tmp/store.sqlite', (of) => of.failed('write', fault('SQLITE_FULL'), 1));
    expect(line).toMatchObject({
      file: '/tmp/store.sqlite',
      msg: 'The database cannot be used; trying again. See err.code in docs/operating/incidents.md',
    });
    expect(line).not.toHaveProperty('host');
  });

  it.each([
    ['connect', fault('ECONNREFUSED'), 'Check that it runs, and can be reached from here'],
    ['connect', new SessionError(['x']), 'Set the server as the error says'],
    ['write', refused, 'See err.code in docs/operating/incidents.md'],
  ] as const)('of %s that met %s blames no login: %s', (part, met, advice) => {
    const line = lineOf('mysql://ann:word@db.example/store', (of) => of.failed(part, met, 1));
    expect(line).toMatchObject({ msg: `The database cannot be used; trying again. ${advice}` });
  });

  it('is there also where it cannot be said which database it is', () => {
    const unknown = new DatabaseOutages(
      pino({}, { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
      () => {
        throw new Error('cannot be read');
      },
    );
    unknown.failed('connect', fault('ECONNREFUSED'), performance.now());
    expect(told()).toStrictEqual(['db.unavailable connect']);
  });

  it('says since when it lasts: each further cause, and its end, which says for how many seconds too', () => {
    jest.useFakeTimers({ now: Date.parse('2026-01-01T00:01:40Z') });
    const now = jest.spyOn(performance, 'now').mockReturnValue(100_000);
    const target = { host: 'db.example:3306' };
    const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
    const of = new DatabaseOutages(pino({}, { write }), () => target);
    of.failed('connect', fault('ECONNREFUSED'), 10_500);
    // The clock is corrected during the outage. `since` must stay the same.
    jest.setSystemTime(Date.parse('2026-01-01T12:00:00Z'));
    now.mockReturnValue(120_000);
    of.failed('connect', fault('ETIMEDOUT'), 119_000);
    of.worked('connect');
    const since = '2026-01-01T00:00:10.500Z';
    expect(lines).toMatchObject([
      { event: 'db.unavailable', ...target, since },
      { event: 'db.unavailable', ...target, since },
      { event: 'db.recovered', ...target, since, seconds: 109.5 },
    ]);
    now.mockRestore();
    jest.useRealTimers();
  });
});

describe('what the database cannot be used for', () => {
  it('is the last cause of an outage that goes on', () => {
    expect(outages.fault).toBeUndefined();
    const [first, second] = [fault('ECONNREFUSED'), fault('ETIMEDOUT')];
    outages.failed('connect', first, performance.now());
    expect(outages.fault).toBe(first);
    outages.failed('connect', second, performance.now());
    expect(outages.fault).toBe(second);
    outages.worked('connect');
    expect(outages.fault).toBeUndefined();
  });
});

describe('a file that cannot be read', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }));
  afterEach(() => void jest.useRealTimers());

  it.each(['SQLITE_CORRUPT', 'SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB'])(
    'is damaged until the next start, whatever else can be read (%s)',
    (code) => {
      expect(outages.damagedFile).toBeUndefined();
      const met = fault(code);
      outages.worked('read');
      // The file counts as damaged although another read was answered meanwhile.
      outages.failed('read', met, performance.now() - 1000);
      outages.worked('read');
      jest.advanceTimersByTime(86_400_000);
      expect(outages.damagedFile).toBe(met);
      outages.failed('read', fault('SQLITE_IOERR_READ'), performance.now());
      jest.advanceTimersByTime(86_400_000);
      expect(outages.damagedFile).toBeDefined();
    },
  );

  it.each(['SQLITE_IOERR_READ', 'SQLITE_IOERR_SHORT_READ', 'SQLITE_IOERR_CORRUPTFS', 'SQLITE_IOERR_DATA'])(
    'for a reason that may pass is damaged for a minute after it was last met (%s)',
    (code) => {
      outages.failed('read', fault(code), performance.now());
      jest.advanceTimersByTime(40_000);
      outages.failed('read', fault(code), performance.now());
      jest.advanceTimersByTime(59_999);
      expect(outages.damagedFile).toMatchObject({ code });
      jest.advanceTimersByTime(1);
      expect(outages.damagedFile).toBeUndefined();
    },
  );

  it.each(['SQLITE_BUSY', 'SQLITE_FULL', 'SQLITE_IOERR_WRITE', 'SQLITE_READONLY_DBMOVED', 'ECONNREFUSED'])(
    'is no %s',
    (code) => {
      outages.failed('read', fault(code), performance.now());
      expect(outages.damagedFile).toBeUndefined();
    },
  );
});

describe('a fault of TLS', () => {
  const failure = (message: string, code = 'HANDSHAKE_SSL_ERROR') => Object.assign(new Error(message), { code });

  it.each([
    ['certificate has expired', 'DATABASE_TLS_EXPIRED'],
    ['certificate is not yet valid', 'DATABASE_TLS_EXPIRED'],
    ["Hostname/IP does not match certificate's altnames: Host: a.", 'DATABASE_TLS_WRONG_HOST'],
    ['unable to verify the first certificate', 'DATABASE_TLS_UNTRUSTED'],
    ['self-signed certificate in certificate chain', 'DATABASE_TLS_UNTRUSTED'],
    ['unsupported protocol', 'DATABASE_TLS_FAILED'],
  ])('%s is %s', (message, code) => {
    expect(nameTlsFault(failure(message))).toMatchObject({ code, message });
  });

  it('is not offering it, too', () => {
    const fault = failure('Server does not support secure connection', 'HANDSHAKE_NO_SSL_SUPPORT');
    expect(nameTlsFault(fault)).toMatchObject({ code: 'DATABASE_TLS_NOT_OFFERED' });
  });

  it('is told from every other', () => {
    expect(nameTlsFault(failure('connect ECONNREFUSED', 'ECONNREFUSED'))).toMatchObject({ code: 'ECONNREFUSED' });
    expect(nameTlsFault('certificate has expired')).toBe('certificate has expired');
  });
});

describe('what a command cannot be done for', () => {
  const fault = (code: string, errno?: number): Error =>
    Object.assign(new Error('As the driver says'), { code, errno });
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
});
