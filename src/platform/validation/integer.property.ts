import { ruledParameter, ruledProperty, type PropertyOptions, type PropertyRule } from './property-rule.js';

export interface IntegerOptions extends PropertyOptions<number> {
  /** Within ±(2^53 − 1), as every bound here. For greater integers there is `Int64Property`. */
  readonly minimum: number;
  readonly maximum: number;
}

/** A JSON number that is an integer in value (`5`, `5.0`, `5e0`), within the bounds, never clamped. */
export const IntegerProperty = (options: IntegerOptions): PropertyDecorator =>
  ruledProperty(integerRule(options), options);

/**
 * A query parameter in canonical decimal, within the bounds, never clamped. Everything else is refused: empty, `+5`,
 * `05`, `5.0`, `1e1`, `0x5`, padded, digits of other scripts.
 */
export const IntegerParameter = (options: IntegerOptions): PropertyDecorator =>
  ruledParameter({ ...integerRule(options), convert: fromDecimal }, options);

function integerRule({ minimum, maximum }: IntegerOptions): PropertyRule {
  if (!Number.isSafeInteger(minimum) || !Number.isSafeInteger(maximum)) {
    throw new RangeError(`The bounds ${minimum} and ${maximum} are not safe integers`);
  }
  const problem = `must be an integer from ${minimum} to ${maximum}`;
  return {
    name: 'integer',
    problem(value) {
      const right = typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
      return right ? undefined : problem;
    },
    schema: { type: 'integer', minimum, maximum },
  };
}

/** Digits beyond a double's precision round to what is beyond the bounds as well. */
const CANONICAL = /^(?:0|-?[1-9][0-9]*)$/;

const fromDecimal = (value: unknown): unknown =>
  typeof value === 'string' && CANONICAL.test(value) ? Number(value) : value;
