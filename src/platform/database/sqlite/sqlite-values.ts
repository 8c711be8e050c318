import type { EntityMetadata } from 'typeorm';
import { StartFault } from '../../errors/index.js';
import { isDecimal, type ColumnMetadata } from '../values.js';

/** Significant digits of a DECIMAL that SQLite stores exactly (Datatypes In SQLite, 3). */
const EXACT_DIGITS = 15;

/**
 * Limit of places by which an exponent moves the decimal point. More places do not change a value that fits a column.
 */
const FARTHEST = 1000;

/** Precision of a DECIMAL that is declared without one. */
const DEFAULT_PRECISION = 10;

type Decimal = Pick<ColumnMetadata, 'type' | 'precision' | 'scale' | 'propertyName'>;

/** @throws {StartFault} for a DECIMAL that SQLite would round. */
export function requireExactDecimals(metadatas: readonly EntityMetadata[]): void {
  for (const { name, columns } of metadatas) {
    const wide = columns.find((column) => isDecimal(column) && (column.precision ?? 0) > EXACT_DIGITS);
    if (wide === undefined) continue;
    throw new StartFault(
      `${name}.${wide.propertyName} is a decimal of ${wide.precision} digits, and SQLite keeps ${EXACT_DIGITS} exactly; ` +
        `give it a precision of ${EXACT_DIGITS} at most, or keep it as a bigint of its smallest unit`,
    );
  }
}

const NUMBER = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i;

/**
 * A DECIMAL as MySQL stores it: rounded half away from zero to the scale of the column.
 *
 * @param value a number, or digits as text, also with an exponent. Any other value is returned unchanged.
 * @throws {RangeError} if it has more digits than the column. MySQL in strict mode refuses it too.
 */
export function storedDecimal(value: unknown, column: Decimal): unknown {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(String(value)) ?? [];
  if (sign === undefined || whole + fraction === '') return value;
  const [precision, scale] = [column.precision ?? DEFAULT_PRECISION, column.scale ?? 0];
  const shift = Math.min(Math.max(Number(exponent), -FARTHEST), FARTHEST);
  const all = '0'.repeat(Math.max(-shift, 0)) + whole + fraction + '0'.repeat(Math.max(shift, 0) + scale);
  const end = Math.max(-shift, 0) + whole.length + shift + scale;
  const kept = BigInt(all.slice(0, end)) + (all.charAt(end) >= '5' ? 1n : 0n);
  const digits = String(kept).padStart(scale + 1, '0');
  if (kept >= 10n ** BigInt(precision)) {
    throw new RangeError(`${column.propertyName} is a decimal of ${precision} digits, which is too few for this value`);
  }
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** A point in time as the text that TypeORM writes. */
export function storedTime(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '');
}

/** Rounds to the fractional seconds of the column's precision, like MySQL. */
export function roundedTime(text: string, precision: number): string {
  if (precision >= 3) return text;
  const step = 10 ** (3 - precision);
  const time = new Date(`${text.replace(' ', 'T')}Z`).getTime();
  return storedTime(new Date(Math.round(time / step) * step));
}

export type Convert = (value: unknown) => unknown;

/** The function that converts values of a column with this declared type. */
export function convertOf(type: string): Convert {
  if (/^(datetime|timestamp)\b/i.test(type)) return toDate;
  const decimal = /^(?:decimal|dec|numeric|fixed)\b(?:\s*\(\s*\d+\s*(?:,\s*(\d+)\s*)?\))?/i.exec(type);
  return decimal === null ? toInteger : (value) => toDecimal(value, Number(decimal[1] ?? 0));
}

/** Returns a number if that is exact, otherwise the bigint. */
function toInteger(value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function toDate(value: unknown): unknown {
  return typeof value === 'string' ? new Date(value.replace(' ', 'T').replace(/Z?$/, 'Z')) : value;
}

function toDecimal(value: unknown, scale: number): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? Number(value).toFixed(scale) : value;
}
