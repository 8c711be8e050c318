import { describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import type { Log } from './log.js';
import { NestLog } from './nest-log.js';
import { cleanLine, escapeUnseen, redactedPaths, serializers } from './redaction.js';

const KEY = 'as_live_Ab3dE6gH_0123456789ABCDEFGHIJKLMNOPQRSTUV5cKzW0';

/** The line that these fields give, with the settings of the service's log. */
function written(fields: object, message = 'x'): string {
  let line = '';
  const settings = {
    serializers,
    redact: { paths: redactedPaths, censor: '[redacted]' },
    hooks: { streamWrite: cleanLine },
  };
  pino(settings, { write: (text: string) => (line = text) }).info(fields, message);
  return line;
}

describe('a line of the log', () => {
  it.each([
    ['a message', {}, `asked with ${KEY}`],
    ['a longer word', {}, `request_${KEY}`],
    ['a field', { note: KEY }, 'x'],
    ['a nested field', { a: { b: [`Bearer ${KEY}`] } }, 'x'],
    ['an error', { err: new Error(`no such key: ${KEY}`) }, 'x'],
  ])('keeps of a key in %s only its public id', (_, fields, message) => {
    const line = written(fields, message);
    expect(line).toContain('as_live_Ab3dE6gH_[redacted]');
    expect(line).not.toContain('01234567');
  });

  it('keeps nothing of another bearer token', () => {
    expect(written({ note: 'Authorization: bearer eyJhbGciOi.J9-_~+/=' })).toContain('bearer [redacted]"');
  });

  it('keeps nothing of headers that hold credentials, nor of what is called a secret', () => {
    const headers = { authorization: 'canary', cookie: 'canary', 'proxy-authorization': 'canary' };
    expect(written({ headers, password: 'canary', token: 'canary', ...headers })).not.toContain('canary');
  });

  it('calls an error by its class, where that gives it no name', () => {
    class ToyBroken extends Error {}
    const typeOf = (err: Error): unknown => (JSON.parse(written({ err })) as { err: { type: unknown } }).err.type;
    expect(typeOf(new ToyBroken('x'))).toBe('ToyBroken');
    expect(typeOf(Object.assign(new ToyBroken('x'), { name: 'ToyError' }))).toBe('ToyError');
    expect(typeOf(new RangeError('x'))).toBe('RangeError');
  });

  it.each(['req', 'request'])('keeps of a request (%s) its method alone', (name) => {
    const request = { method: 'GET', url: '/?canary', headers: { 'x-any': 'canary' }, body: 'canary' };
    expect(JSON.parse(written({ [name]: request }))).toMatchObject({ [name]: { method: 'GET' } });
    expect(written({ [name]: request })).not.toContain('canary');
  });

  it.each(['res', 'response'])('keeps of a response (%s) its status alone', (name) => {
    expect(JSON.parse(written({ [name]: { statusCode: 500, body: 'canary' } }))[name]).toEqual({ status: 500 });
  });

  it.each([
    [
      'MySQL',
      Object.assign(new Error("Duplicate entry 'canary'"), { code: 'ER_DUP_ENTRY', errno: 1062, sqlMessage: '' }),
    ],
    ['SQLite', Object.assign(new Error('canary'), { name: 'SqliteError', code: 'SQLITE_CONSTRAINT' })],
    [
      'TypeORM',
      Object.assign(new Error('canary'), { name: 'QueryFailedError', query: 'canary', parameters: ['canary'] }),
    ],
  ])('keeps of an error of %s its code and its calls', (_, err) => {
    const line = written({ err });
    expect(line).not.toContain('canary');
    expect(JSON.parse(line).err).toMatchObject({ type: err.name, message: 'The database failed' });
    expect(JSON.parse(line).err.stack).toMatch(/^ +at /);
  });

  it('keeps of an error nothing that hangs on it', () => {
    const err = Object.assign(new Error('broken', { cause: 'canary' }), { request: 'canary', config: { a: 'canary' } });
    expect(written({ err })).not.toContain('canary');
    expect(written({ err: 'canary' })).not.toContain('canary');
  });

  it('is one line of visible characters, and still the same text', () => {
    const text = 'a\r\nb\u001b[31m\u009b31m\u0085\u2028\u2029\u007f';
    const line = written({ text }, text);
    expect(line.trimEnd()).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(line)).toMatchObject({ text, msg: text });
  });
});

describe("Nest's words in the log", () => {
  const error = jest.fn();
  const log = new NestLog({ error } as unknown as Log);
  const failure = Object.assign(new Error("Duplicate entry 'canary'"), { sqlMessage: 'canary' });

  it('have no message of a driver, as an error or as its stack', () => {
    log.error(failure, failure.stack, 'Pets');
    log.error('It failed', failure.stack, 'Pets');
    const [[first, firstText], [second, secondText]] = error.mock.calls as [[object, string], [object, string]];
    expect([firstText, secondText]).toEqual(['The database failed', 'It failed']);
    expect(first).toMatchObject({ err: failure, context: 'Pets' });
    expect(second).toMatchObject({ context: 'Pets', stack: expect.stringMatching(/^ +at /) });
    expect((second as { stack: string }).stack).not.toContain('canary');
  });

  it('lose nothing of what stands beside the message', () => {
    error.mockClear();
    const cause = new Error('No milk');
    log.error('It failed', cause, 'Pets');
    log.error('It failed', 'twice', 'Pets');
    log.error('It failed', 'Pets');
    expect(error.mock.calls).toMatchObject([
      [{ err: cause, context: 'Pets' }, 'It failed'],
      [{ err: undefined, context: 'Pets' }, 'It failed twice'],
      [{ err: undefined, context: 'Pets' }, 'It failed'],
    ]);
  });

  it('are not those about a fault of the start, which whoever started it tells', () => {
    error.mockClear();
    log.error(failure, undefined, 'ExceptionHandler');
    expect(error).not.toHaveBeenCalled();
    log.error('It failed', 'ExceptionHandler');
    expect(error).toHaveBeenCalledTimes(1);
  });
});

it('writes what a terminal would act on or not show as escapes, and leaves the rest', () => {
  expect(escapeUnseen('Zoë 犬 🐕\n "x\\"')).toBe('Zoë 犬 🐕\n "x\\"');
  expect(escapeUnseen('\x1b[2J\x7f\x9b\t')).toBe('\\u001b[2J\\u007f\\u009b\\u0009');
  expect(escapeUnseen('\u3164\u2800\u115f\uffa0\u200d\u2028\u202e')).toBe(
    '\\u3164\\u2800\\u115f\\uffa0\\u200d\\u2028\\u202e',
  );
  expect(JSON.parse(`"${escapeUnseen('\u{e0041}\u{1d173}')}"`)).toBe('\u{e0041}\u{1d173}');
});
