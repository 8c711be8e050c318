import { bodyPrecedence, queryPrecedence, refusal } from './faults.js';

/** What a value of a declared type must be, and what makes it one; undefined for a value that is none. */
interface Kind {
  readonly problem: string;
  readonly ofText: (text: string) => unknown;
  readonly ofJson: (value: unknown) => unknown;
}

const INTEGER = /^-?(?:0|[1-9]\d{0,18})$/;

const kinds = new Map<unknown, Kind>([
  [String, { problem: 'must be a string', ofText: (text) => text, ofJson: (value) => ifType('string', value) }],
  [
    Number,
    {
      problem: 'must be a number',
      ofText: (text) => (text.trim() === '' || !Number.isFinite(Number(text)) ? undefined : Number(text)),
      ofJson: (value) => (Number.isNaN(value) ? undefined : ifType('number', value)),
    },
  ],
  [
    Boolean,
    {
      problem: 'must be true or false',
      ofText: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
      ofJson: (value) => ifType('boolean', value),
    },
  ],
  [
    BigInt,
    {
      problem: 'must be an integer',
      ofText: (text) => (INTEGER.test(text) ? ifInt64(BigInt(text)) : undefined),
      ofJson: (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : ifType('bigint', value)),
    },
  ],
]);

const ifType = (type: string, value: unknown): unknown => (typeof value === type ? value : undefined);

const ifInt64 = (value: bigint): bigint | undefined => (BigInt.asIntN(64, value) === value ? value : undefined);

/**
 * A parameter that a handler takes by its name, as the type that it is declared with.
 *
 * @throws {ApiError} invalid_parameter.
 */
export function parameterOf(type: unknown, name: string, value: unknown): unknown {
  const kind = kinds.get(type);
  if (kind === undefined || value === undefined) return value;
  const made = typeof value === 'string' ? kind.ofText(value) : undefined;
  if (made === undefined) throw refusal([{ kind: 'invalid', field: name, problem: kind.problem }], queryPrecedence);
  return made;
}

/**
 * The same of a field of a body.
 *
 * @throws {ApiError} invalid_field.
 */
export function fieldOf(type: unknown, name: string, value: unknown): unknown {
  const kind = kinds.get(type);
  if (kind === undefined || value === undefined) return value;
  const made = kind.ofJson(value);
  if (made === undefined) throw refusal([{ kind: 'invalid', field: name, problem: kind.problem }], bodyPrecedence);
  return made;
}
