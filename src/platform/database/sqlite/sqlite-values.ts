import type { EntityMetadata } from 'typeorm';
import { StartFault } from '../../errors/index.js';
import { isDecimal, type ColumnMetadata } from '../values.js';

/** Significant digits that SQLite keeps of a DECIMAL (Datatypes In SQLite, 3). */
const EXACT_DIGITS = 15;

/** Places by which an exponent moves the point at most: what is beyond them changes no value that a column could hold. */
const FARTHEST = 1000;

/** Digits of a DECIMAL that is declared without a precision. */
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
 * A DECIMAL as MySQL stores it: rounded half away from zero to the column's scale.
 *
 * @param value digits, as text or a number, also with an exponent; anything else stays as it is.
 * @throws {RangeError} where it has more digits than the column, as MySQL refuses it in strict mode.
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

/** A point in time as TypeORM writes it. */
export function storedTime(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '');
}

/** MySQL keeps no more of a second than the column's precision says. */
export function roundedTime(text: string, precision: number): string {
  if (precision >= 3) return text;
  const step = 10 ** (3 - precision);
  const time = new Date(`${text.replace(' ', 'T')}Z`).getTime();
  return storedTime(new Date(Math.round(time / step) * step));
}

export type Convert = (value: unknown) => unknown;

/** What is to be done with the values of a column that is declared with this type. */
export function convertOf(type: string): Convert {
  if (/^(datetime|timestamp)\b/i.test(type)) return toDate;
  const decimal = /^(?:decimal|dec|numeric|fixed)\b(?:\s*\(\s*\d+\s*(?:,\s*(\d+)\s*)?\))?/i.exec(type);
  return decimal === null ? toInteger : (value) => toDecimal(value, Number(decimal[1] ?? 0));
}

/** A number where that is exact. */
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
