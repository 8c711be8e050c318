import { INT64_MAX, INT64_MIN } from '../int64/index.js';

const ZERO = 0x30;

/** Digits of the largest int64. */
const INT64_DIGITS = 19;

/**
 * The value of a JSON number literal, exact or none:
 *
 * - integral (also `1e2`, `1.0`, `-0`) within ±(2^53 − 1): a `number`;
 * - integral beyond that within int64: a `bigint`;
 * - a fraction: the nearest `number`, unless that is an integer and the fraction would be lost;
 * - anything else: `NaN`, which no validator accepts.
 *
 * Linear in the literal's length. `1e1000000000` is decided by its exponent, without the arithmetic.
 *
 * @param source a literal that the JSON grammar allows; anything else is `NaN` too.
 */
export function parseNumberLiteral(source: string): number | bigint {
  const literal = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source);
  if (literal === null) return NaN;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = literal;
  const digits = significantDigits(whole + fraction);
  if (digits.text === '') return 0;
  const power = Number(exponent) - fraction.length + digits.trailingZeros;
  return power < 0 ? nearestFraction(source) : integer(sign, digits.text, power);
}

/** The digits between the zeros at both ends. By loops: `/0+$/` takes quadratic time on zeros that end in a one. */
function significantDigits(digits: string): { text: string; trailingZeros: number } {
  let start = 0;
  while (digits.charCodeAt(start) === ZERO) start++;
  let end = digits.length;
  while (end > start && digits.charCodeAt(end - 1) === ZERO) end--;
  return { text: digits.slice(start, end), trailingZeros: digits.length - end };
}

function nearestFraction(source: string): number {
  const value = Number(source);
  return Number.isFinite(value) && !Number.isInteger(value) ? value : NaN;
}

function integer(sign: string, digits: string, power: number): number | bigint {
  if (digits.length + power > INT64_DIGITS) return NaN;
  const value = BigInt(sign + digits + '0'.repeat(power));
  if (value < INT64_MIN || value > INT64_MAX) return NaN;
  const double = Number(value);
  return Number.isSafeInteger(double) ? double : value;
}
