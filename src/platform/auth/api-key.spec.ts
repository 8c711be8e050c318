import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateApiKey, hashApiKey, isPublicId, keyEnvironmentOf, matchesHash, publicIdOf } from './api-key.js';

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const valueOf = (digits: string): number => [...digits].reduce((sum, digit) => sum * 62 + DIGITS.indexOf(digit), 0);

describe('the form of a key', () => {
  it('is as_, the environment, the public id, then 32 random characters and their CRC-32', () => {
    const key = generateApiKey('live');
    expect(key.text).toMatch(/^as_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{38}$/);
    const [, , publicId, tail] = key.text.split('_') as [string, string, string, string];
    expect(key.publicId).toBe(publicId);
    expect(valueOf(tail.slice(32))).toBe(crc32(tail.slice(0, 32)));
  });

  it('pads the checksum on the left', () => {
    // The CRC-32 of this secret is 60962, which is FrG in base62.
    const secret = `${'0'.repeat(27)}WN000`;
    expect(crc32(secret)).toBe(60962);
    expect(publicIdOf(`as_test_AAAAAAAA_${secret}000FrG`)).toBe('AAAAAAAA');
    expect(publicIdOf(`as_test_AAAAAAAA_${secret}FrG000`)).toBeUndefined();
  });

  it('names production keys live and all others test', () => {
    expect(keyEnvironmentOf('production')).toBe('live');
    expect(keyEnvironmentOf('development')).toBe('test');
    expect(keyEnvironmentOf('test')).toBe('test');
  });

  it('takes a public id that is given', () => {
    expect(generateApiKey('test', 'firstkey').text).toMatch(/^as_test_firstkey_/);
    expect(isPublicId('firstkey')).toBe(true);
    expect(isPublicId('first-ke')).toBe(false);
  });

  it('draws every digit about as often as any other', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 500; i++) {
      for (const digit of generateApiKey('test').text.slice(17, 49)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    // 16,000 draws over 62 digits: 258 each. With a byte modulo 62, each of the first eight digits would have 312.
    const first = Array.from(DIGITS.slice(0, 8)).reduce((sum, digit) => sum + (counts.get(digit) ?? 0), 0);
    expect(counts.size).toBe(62);
    expect(first / 8).toBeGreaterThan(225);
    expect(first / 8).toBeLessThan(290);
  });
});

describe('the public id of a text', () => {
  it('reads back what was made', () => {
    const key = generateApiKey('live');
    expect(publicIdOf(key.text)).toBe(key.publicId);
  });

  it('refuses a key with any one character of the secret or the checksum changed', () => {
    const { text } = generateApiKey('test');
    fc.assert(
      fc.property(fc.integer({ min: 17, max: 54 }), fc.constantFrom(...Array.from(DIGITS)), (place, digit) => {
        fc.pre(text[place] !== digit);
        expect(publicIdOf(text.slice(0, place) + digit + text.slice(place + 1))).toBeUndefined();
      }),
    );
  });

  it.each([
    ['an empty text', () => ''],
    ['another product', (text: string) => text.replace('as_', 'ak_')],
    ['another environment', (text: string) => text.replace('_test_', '_prod_')],
    ['capitals in the prefix', (text: string) => text.replace('as_test', 'AS_TEST')],
    ['a space before', (text: string) => ` ${text}`],
    ['a line break after', (text: string) => `${text}\n`],
    ['one character less', (text: string) => text.slice(0, -1)],
    ['one character more', (text: string) => `${text}0`],
    ['a character outside base62', (text: string) => text.replace(/.{10}$/, '-'.repeat(10))],
    ['8 KiB', () => 'a'.repeat(8192)],
  ])('refuses %s', (_name, spoil) => {
    expect(publicIdOf(spoil(generateApiKey('test').text))).toBeUndefined();
  });
});

describe('the hash at rest', () => {
  it('is SHA-256 of the whole text', () => {
    const key = generateApiKey('test');
    expect(key.hash).toEqual(createHash('sha256').update(key.text, 'ascii').digest());
    expect(hashApiKey(key.text)).toEqual(key.hash);
  });

  it('matches its own key only, case and all', () => {
    const key = generateApiKey('test');
    expect(matchesHash(key.text, key.hash)).toBe(true);
    expect(matchesHash(key.text.toUpperCase(), key.hash)).toBe(false);
    expect(matchesHash(generateApiKey('test').text, key.hash)).toBe(false);
  });
});
