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
