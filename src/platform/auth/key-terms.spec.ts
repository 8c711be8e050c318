import { describe, expect, it } from '@jest/globals';
import {
  faultOfClient,
  faultOfScopes,
  isScope,
  parseDuration,
  parseInstant,
  printable,
  printableJson,
} from './key-terms.js';

describe("a client's name", () => {
  it.each(['a', 'first-key', 'Zoë & 友達 (staging)', '🐶'.repeat(100), 'a ❤\uFE0F b'])('may be %s', (client) => {
    expect(faultOfClient(client)).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['101 characters', 'x'.repeat(101)],
    ['a space at an end', 'a '],
    ['spaces only', ' '],
    ['a line break', 'a\nb'],
    ['an escape', 'a\u001b[2Jb'],
    ['a right-to-left override', 'a\u202eb'],
    ['a zero-width space', 'a\u200bb'],
    ['a lone surrogate', 'a\ud800'],
    ['a Hangul filler alone', '\u3164'],
    ['a Hangul filler behind what is seen', 'acme\u3164'],
    ['half a Hangul filler', 'acme\uFFA0'],
    ['Hangul fillers of a syllable', '\u115F\u1160'],
    ['a blank of Braille', 'acme\u2800'],
    ['a grapheme joiner', 'ac\u034Fme'],
    ['a Khmer vowel that is not shown', 'a\u17B4'],
    ['a Mongolian variation', 'a\u180B'],
    ['a variation of a letter', 'a\uFE0F'],
    ['a variation of an ideograph', '友\u{E0100}'],
    ['a tag', 'a\u{E0041}'],
    ['a soft hyphen', 'ac\u00ADme'],
    ['a no-break space', 'ac\u00A0me'],
    ['a control of C1', 'a\u009b2J'],
    ['a character that there is not', 'a\u{E0FFF}'],
  ])('may not be %s', (_name, client) => {
    expect(faultOfClient(client)).toBeDefined();
  });
});

describe('scopes', () => {
  it.each([[['*']], [['pets:read']], [['pets:read', 'store-orders2:write']]])('may be %j', (scopes) => {
    expect(faultOfScopes(scopes)).toBeUndefined();
  });

  it.each([
    [[], 'at least one'],
    [['pets'], "'pets'"],
    [['Pets:read'], "'Pets:read'"],
    [['pets:read:all'], "'pets:read:all'"],
    [['pets:read\u001b[2J'], "'pets:read?[2J'"],
    [['*', 'pets:read'], 'stands alone'],
    [['pets:read', 'pets:read'], 'twice'],
    [Array.from({ length: 100 }, (_, i) => `feature-number-${i}:read`), 'longer than 1000'],
  ])('may not be %j', (scopes, fault) => {
    expect(faultOfScopes(scopes)).toContain(fault);
  });

  it('are not * alone by the word of isScope, which features are asked by', () => {
    expect(isScope('*')).toBe(false);
    expect(isScope('pets:read')).toBe(true);
  });
});

describe('printable', () => {
  it('is short and moves no cursor', () => {
    expect(printable(`\u001b[2J\r${'x'.repeat(100)}`)).toBe(`?[2J?${'x'.repeat(55)}`);
  });

  it('shows where there is something that is not seen', () => {
    expect(printable('a\u3164b\u2800c\u009bd\u202Ee\ud800 ❤\uFE0Fa\uFE0F')).toBe('a?b?c?d?e? ❤\uFE0Fa?');
    expect(printable('🐶🐶🐶', 2)).toBe('🐶🐶');
  });

  it('as JSON means the same', () => {
    const value = { client: 'Zoë \u001b[2J\u009b\u3164\u{E0041}\u202E\n"\\', scopes: ['友達 🐶'] };
    const text = printableJson(value);
    expect(JSON.parse(text)).toStrictEqual(value);
    expect(text).toBe(
      '{\n  "client": "Zoë \\u001b[2J\\u009b\\u3164\\udb40\\udc41\\u202e\\n\\"\\\\",\n  "scopes": [\n    "友達 🐶"\n  ]\n}',
    );
  });
});

describe('parseInstant', () => {
  it.each([
    ['2030-01-31', Date.UTC(2030, 0, 31)],
    ['2030-01-31T12:00Z', Date.UTC(2030, 0, 31, 12)],
    ['2030-01-31T12:30:15Z', Date.UTC(2030, 0, 31, 12, 30, 15)],
    ['2030-01-31T12:30:15.250Z', Date.UTC(2030, 0, 31, 12, 30, 15, 250)],
    ['2030-01-31T12:00:00+02:00', Date.UTC(2030, 0, 31, 10)],
    ['2028-02-29', Date.UTC(2028, 1, 29)],
  ])('reads %s', (text, time) => {
    expect(parseInstant(text)).toBe(time);
  });

  it.each([
    '',
    'tomorrow',
    '1893456000000',
    '2030-1-1',
    '01/31/2030',
    '2030-02-30',
    '2029-02-29',
    '2030-13-01',
    '2030-01-31T25:00Z',
    '2030-01-31T12:00:00',
    ' 2030-01-31',
    '2030-01-31Z',
  ])('refuses %j', (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });
});

describe('parseDuration', () => {
  it.each([
    ['0', 0],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['24h', 86_400_000],
    ['7d', 604_800_000],
  ])('reads %s', (text, length) => {
    expect(parseDuration(text)).toBe(length);
  });

  it.each(['', '24', '-1h', '1.5h', '24 h', '24H', '1h30m', '1w', '9999999999d'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
