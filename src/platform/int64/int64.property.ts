import { ruledParameter, ruledProperty, type PropertyOptions, type PropertyRule } from '../validation/index.js';
import { INT64_MAX, INT64_MIN, parseInt64 } from './int64.js';

export interface Int64Options extends PropertyOptions<bigint> {
  /** −2^63 unless given. */
  readonly minimum?: bigint;
  /** 2^63 − 1 unless given. */
  readonly maximum?: bigint;
}

/**
 * A property that is a `bigint`, from a JSON number that is an integer in value (`100`, `1e2`, `1.0`). Never from a
 * string or a boolean.
 */
export const Int64Property = (options: Int64Options): PropertyDecorator =>
  ruledProperty({ ...int64Rule(options), convert: fromNumber }, options);

/** A query parameter that is a `bigint`, from canonical decimal text. */
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
