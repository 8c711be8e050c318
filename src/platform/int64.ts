import type { PipeTransform } from '@nestjs/common';
import { ApiError, type ErrorCode } from './errors/index.js';
import { Column, type ColumnOptions, type ValueTransformer } from 'typeorm';
import { ruledParameter, ruledProperty, type PropertyOptions, type PropertyRule } from './validation/index.js';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

/** The length of the longest int64, `-9223372036854775808`. A longer text is refused without parsing. */
const MAX_LENGTH = 20;
const CANONICAL = /^(?:0|-?[1-9][0-9]*)$/;

/**
 * Parses an int64 in canonical decimal notation: ASCII digits after an optional minus, without plus, leading zeros,
 * `-0` or padding.
 *
 * @returns undefined for any other text, and for values outside −2^63 to 2^63 − 1.
 */
export function parseInt64(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH || !CANONICAL.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** Parses an id like `parseInt64`, within 1 to 2^63 − 1. Otherwise it returns undefined. */
export function parseId(text: string): bigint | undefined {
  const id = parseInt64(text);
  return id !== undefined && id > 0n ? id : undefined;
}

/**
 * A pipe that parses an id in a path with `parseId`. A text that is not an id gets `notFound`, because no object has
 * it.
 */
export class ParseIdPipe implements PipeTransform<string, bigint> {
  /** @param notFound the error code for a text that is not an id. */
  constructor(private readonly notFound: ErrorCode) {}

  /** @throws {ApiError} `notFound`. */
  transform(text: string): bigint {
    const id = parseId(text);
    if (id === undefined) throw new ApiError(this.notFound);
    return id;
  }
}

const isInt64 = (value: bigint): boolean => value >= INT64_MIN && value <= INT64_MAX;

/** A signed BIGINT column with a `bigint` property, on MySQL and on SQLite. */
export function Int64Column(options: Omit<ColumnOptions, 'type' | 'transformer' | 'unsigned'> = {}): PropertyDecorator {
  return Column({ ...options, type: 'bigint', transformer: int64Transformer });
}

/** Converts the value of a driver (a string, a bigint or a number) to `bigint`. `null` stays `null`. */
export const int64Transformer = {
  to: (value: unknown) => value,
  from: (value: unknown) => (value === null || value === undefined ? value : exact(value)),
} satisfies ValueTransformer;

/** @throws {RangeError} if a driver returned a number that may be rounded. */
function exact(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  const int64 = typeof value === 'string' ? parseInt64(value) : undefined;
  if (int64 !== undefined) return int64;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw new RangeError('A BIGINT column did not arrive as an exact int64');
}

export interface Int64Options extends PropertyOptions<bigint> {
  /** Default: −2^63. */
  readonly minimum?: bigint;
  /** Default: 2^63 − 1. */
  readonly maximum?: bigint;
}

/**
 * A `bigint` property. The client sends a JSON number with an integer value (`100`, `1e2`, `1.0`), not a string or a
 * boolean.
 */
export const Int64Property = (options: Int64Options): PropertyDecorator =>
  ruledProperty({ ...int64Rule(options), convert: fromNumber }, options);

/** A `bigint` query parameter in canonical decimal notation. */
export const Int64Parameter = (options: Int64Options): PropertyDecorator =>
  ruledParameter({ ...int64Rule(options), convert: fromText }, options);

function int64Rule({ minimum = INT64_MIN, maximum = INT64_MAX }: Int64Options): PropertyRule {
  const problem = `must be an integer from ${minimum} to ${maximum}`;
  return {
    name: 'int64',
    problem: (value) => (typeof value === 'bigint' && value >= minimum && value <= maximum ? undefined : problem),
    schema: { type: 'integer', format: 'int64', minimum, maximum } as object,
  };
}

const fromNumber = (value: unknown): unknown =>
  typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;

const fromText = (value: unknown): unknown => (typeof value === 'string' ? (parseInt64(value) ?? value) : value);
