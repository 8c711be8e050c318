import type { EntityMetadata } from 'typeorm';
import { StartFault } from '../../start-fault.js';
import type { ColumnMetadata } from '../values.js';

/** Significant digits that SQLite keeps of a DECIMAL (Datatypes In SQLite, 3). */
const EXACT_DIGITS = 15;

/** Digits of a DECIMAL that says none. */
const DEFAULT_PRECISION = 10;

type Decimal = Pick<ColumnMetadata, 'type' | 'precision' | 'scale' | 'propertyName'>;

export function isDecimal({ type }: Pick<ColumnMetadata, 'type'>): boolean {
  return /^(dec|decimal|numeric)$/.test(String(type));
}

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

/**
 * A DECIMAL as MySQL stores it: rounded half away from zero to the column's scale.
 *
 * @param value digits, as text or a number; anything else stays as it is.
 * @throws {RangeError} where it has more digits than the column, as MySQL refuses it in strict mode.
 */
export function storedDecimal(value: unknown, column: Decimal): unknown {
  const [, sign, whole = '', fraction = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(String(value)) ?? [];
  if (sign === undefined || whole + fraction === '') return value;
  const [precision, scale] = [column.precision ?? DEFAULT_PRECISION, column.scale ?? 0];
  const kept = BigInt(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  const digits = String(kept + (fraction.charAt(scale) >= '5' ? 1n : 0n)).padStart(scale + 1, '0');
  if (digits.length > Math.max(precision, scale + 1)) {
    throw new RangeError(`${column.propertyName} is a decimal of ${precision} digits, which is too few for this value`);
  }
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
