import { describe, expect, it } from '@jest/globals';
import { parseDuration, parseInstant } from './key-terms.js';

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
