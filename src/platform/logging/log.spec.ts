import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { OutageTime, prettyLines } from './log.js';
import { cleanLine } from './redaction.js';

const HEAD = { level: 'info', time: '2030-01-31T12:00:00.000Z', pid: 1, service: 'animal-store', version: '1.0.0' };

const prettyLine = await prettyLines();

/** The text that a terminal shows of a line, without its time. */
function shown(fields: object): string {
  const line = prettyLine(`${cleanLine(JSON.stringify({ ...HEAD, ...fields }))}\n`);
  return stripVTControlCharacters(line).replace(/^\[\d\d:\d\d:\d\d\] /, '');
}

describe('a request', () => {
  const http = { method: 'GET', route: '/v1/pets', path: '/v1/pets', status: 200, duration_ms: 2.84 };
  const request = { request_id: 'x', feature: 'pets', event: 'http.request', key_id: 'y', msg: 'request' };

  it.each([
    ['that is answered', { http }, 'INFO: GET /v1/pets 200 3 ms\n'],
    [
      'that finds nothing',
      { http: { method: 'GET', path: '/v1/cats', status: 404, duration_ms: 0.4 }, code: 'not_found' },
      'INFO: GET /v1/cats 404 0 ms not_found\n',
    ],
    ['of which no path is told', { http: { ...http, path: undefined } }, 'INFO: GET /v1/pets 200 3 ms\n'],
    [
      'that nobody waited for',
      { http: { ...http, status: undefined }, aborted: true },
      'INFO: GET /v1/pets aborted 3 ms\n',
    ],
  ])('%s is one line', (_title, fields, text) => {
    expect(shown({ ...request, ...fields })).toBe(text);
  });
});

describe('any other line', () => {
  it('shows its fields below', () => {
    expect(shown({ event: 'x', client: 'acme', msg: 'Made' })).toBe('INFO: Made\n    client: "acme"\n');
  });

  it.each([
    ['a colour', '\x1b[31mred', '\\u001b[31mred'],
    ['a control sequence of one character', '\x9b31mred', '\\u009b31mred'],
    ['a carriage return', 'a\rb\bc', 'a\\rb\\bc'],
    ['a change of direction', 'a\u202eb', 'a\\u202eb'],
    ['letters that cannot be seen', '\u3164\u2800\u200b', '\\u3164\\u2800\\u200b'],
    ['a backslash', '\\u001b', '\\u001b'],
  ])('shows %s and does nothing of it', (_title, text, harmless) => {
    const line = prettyLine(
      cleanLine(JSON.stringify({ ...HEAD, msg: text, err: { type: 'Error', message: 'x', stack: `at ${text}` } })),
    );
    expect(line).toContain(`: ${harmless}\n`);
    expect(line).toContain(`at ${harmless}\n`);
    expect(line).not.toMatch(/[^\P{Cc}\n]/u);
  });
});

describe('the time of an outage', () => {
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it('keeps when the outage began, also where the clock is set meanwhile, and measures without that clock', () => {
    jest.useFakeTimers({ now: Date.parse('2026-01-01T00:01:40Z') });
    const now = jest.spyOn(performance, 'now').mockReturnValue(100_000);
    const outage = new OutageTime(90_500);
    expect(outage).toMatchObject({ since: '2026-01-01T00:01:30.500Z', seconds: 9.5 });
    jest.setSystemTime(Date.parse('2025-12-31T00:00:00Z'));
    now.mockReturnValue(120_000.4);
    expect(outage).toMatchObject({ since: '2026-01-01T00:01:30.500Z', seconds: 29.5 });
  });

  it('begins now where nothing else is given', () => {
    jest.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
    jest.spyOn(performance, 'now').mockReturnValue(5000);
    expect(new OutageTime()).toMatchObject({ since: '2026-01-01T00:00:00.000Z', seconds: 0 });
  });
});
