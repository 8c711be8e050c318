import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../int64.js';
import { parseNumberLiteral } from './parse-json.js';

describe('parseNumberLiteral', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['-0.0e5', 0],
    ['0e99999999999', 0],
    ['0.000', 0],
    ['100', 100],
    ['-7', -7],
    ['1e2', 100],
    ['1E+2', 100],
    ['1.0', 1],
    ['0.1e1', 1],
    ['100e-2', 1],
    ['1.50e1', 15],
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991', -9007199254740991],
    ['9007199254740991.000', 9007199254740991],
    ['1.5', 1.5],
    ['-0.1', -0.1],
    ['1e-7', 1e-7],
  ])('reads %s as a number', (source, value) => {
    expect(parseNumberLiteral(source)).toBe(value);
  });

  it.each([
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9007199254740993.0', 9007199254740993n],
    ['9007199254740993e0', 9007199254740993n],
    ['90071992547409930e-1', 9007199254740993n],
    ['9.007199254740993e15', 9007199254740993n],
    ['1e18', 10n ** 18n],
    ['9223372036854775807', INT64_MAX],
    ['-9223372036854775808', INT64_MIN],
  ])('reads %s as a bigint', (source, value) => {
    expect(parseNumberLiteral(source)).toBe(value);
  });

  it.each([
    ['9223372036854775808'],
    ['-9223372036854775809'],
    ['1e19'],
    ['1e400'],
    ['-1e400'],
    ['1e1000000000'],
    [`1e${'9'.repeat(10_000)}`],
    ['1e-1000000000'],
    ['1.00000000000000000001'],
    ['9007199254740993.5'],
    [`${'9'.repeat(400)}.5`],
    ['1'.repeat(1_000_000)],
  ])('gives no value for %.40s', (source) => {
    expect(parseNumberLiteral(source)).toBeNaN();
  });

  it.each([[''], ['abc'], ['+1'], ['.5'], ['1.'], ['0x10'], ['1n'], [' 1'], ['1\n'], ['NaN'], ['Infinity'], ['١']])(
    'gives no value for %j, which is no JSON number',
    (source) => {
      expect(parseNumberLiteral(source)).toBeNaN();
    },
  );

  const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

  it('keeps every int64, however it is written', () => {
    fc.assert(
      fc.property(int64, fc.nat(30), fc.nat(30), (value, zeros, shift) => {
        const digits = value.toString();
        const scaled = `${digits}${'0'.repeat(shift)}e-${shift}`;
        for (const source of [digits, `${digits}.${'0'.repeat(zeros + 1)}`, scaled, pointed(digits)]) {
          expect(BigInt(parseNumberLiteral(source))).toBe(value);
        }
      }),
    );
  });

  it('has one type for one value: number within ±(2^53 − 1), bigint beyond', () => {
    fc.assert(
      fc.property(int64, (value) => {
        const safe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
        expect(typeof parseNumberLiteral(value.toString())).toBe(safe ? 'number' : 'bigint');
      }),
    );
  });

  it('refuses every integer beyond int64', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MAX + 1n, max: 10n ** 60n }), (value) => {
        expect(parseNumberLiteral(value.toString())).toBeNaN();
        expect(parseNumberLiteral(`-${value + 1n}`)).toBeNaN();
      }),
    );
  });

  it('gives what JSON.parse gives for a fraction, never an integer', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }), (value) => {
        expect(parseNumberLiteral(JSON.stringify(value))).toBe(value);
      }),
    );
  });
});

/** `1234` as `1.234e3`. */
function pointed(digits: string): string {
  const [, sign, first, rest] = /^(-?)(.)(.*)$/.exec(digits)!;
  return `${sign}${first}.${rest}0e${rest!.length}`;
}
