import { Column, type ColumnOptions, type ValueTransformer } from 'typeorm';
import { parseInt64 } from './int64.js';

/** A signed BIGINT column whose property is a `bigint`, on MySQL and on SQLite. */
export function Int64Column(options: Omit<ColumnOptions, 'type' | 'transformer' | 'unsigned'> = {}): PropertyDecorator {
  return Column({ ...options, type: 'bigint', transformer: int64Transformer });
}

/** From what a driver gives (text, bigint, a number by its settings) to `bigint`. `null` stays `null`. */
export const int64Transformer = {
  to: (value: unknown) => value,
  from: (value: unknown) => (value === null || value === undefined ? value : exact(value)),
} satisfies ValueTransformer;

/** @throws {RangeError} when a driver has given a number that may be a rounded one. */
function exact(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  const int64 = typeof value === 'string' ? parseInt64(value) : undefined;
  if (int64 !== undefined) return int64;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw new RangeError('A BIGINT column did not arrive as an exact int64');
}
