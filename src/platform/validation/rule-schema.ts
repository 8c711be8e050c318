import type { Rule } from './dto.js';

/** The JSON Schema keywords that correspond to decorators of class-validator. */
export interface RuleSchema {
  type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minProperties?: number;
}

type Read = (...constraints: never[]) => RuleSchema;

const dateTime: Read = () => ({ type: 'string', format: 'date-time' });
const text: Read = () => ({ type: 'string' });

/** By class-validator's name of the rule. A rule that is missing here cannot be expressed in a schema. */
const SCHEMAS: Readonly<Record<string, Read>> = {
  isString: text,
  isNumberString: text,
  isBooleanString: text,
  isBoolean: () => ({ type: 'boolean' }),
  isInt: () => ({ type: 'integer' }),
  isNumber: () => ({ type: 'number' }),
  isObject: () => ({ type: 'object' }),
  isNotEmptyObject: () => ({ type: 'object', minProperties: 1 }),
  isDate: dateTime,
  isDateString: dateTime,
  isIso8601: dateTime,
  isRFC3339: dateTime,
  isEmail: () => ({ type: 'string', format: 'email' }),
  isUuid: () => ({ type: 'string', format: 'uuid' }),
  isIp: (version?: string) => ({ type: 'string', ...(version !== undefined && { format: `ipv${version}` }) }),
  isIn: (values: readonly unknown[]) => ({ enum: values }),
  isEnum: (_enum: object, values: readonly unknown[]) => ({ enum: values }),
  equals: (value: unknown) => ({ enum: [value] }),
  matches: (pattern: RegExp | string, flags?: string) => patternOf(new RegExp(pattern, flags)),
  minLength: (minLength: number) => ({ minLength }),
  maxLength: (maxLength: number) => ({ maxLength }),
  isLength: (minLength: number, maxLength?: number) => ({ minLength, ...(maxLength !== undefined && { maxLength }) }),
  min: (minimum: number) => ({ minimum }),
  max: (maximum: number) => ({ maximum }),
  isPositive: () => ({ exclusiveMinimum: 0 }),
  isNegative: () => ({ exclusiveMaximum: 0 }),
  isDivisibleBy: (multipleOf: number) => ({ multipleOf }),
  isArray: () => ({ type: 'array' }),
  arrayMinSize: (minItems: number) => ({ type: 'array', minItems }),
  arrayMaxSize: (maxItems: number) => ({ type: 'array', maxItems }),
  arrayNotEmpty: () => ({ type: 'array', minItems: 1 }),
  arrayUnique: () => ({ type: 'array', uniqueItems: true }),
};

/** The schema of one rule. For a rule with `each` it is the schema of the items. */
export function schemaOfRule({ name, constraints }: Rule): RuleSchema {
  const read = name !== undefined && Object.hasOwn(SCHEMAS, name) ? SCHEMAS[name] : undefined;
  return read === undefined ? {} : read(...((constraints as never[] | undefined) ?? []));
}

/** Combines schemas. Of two bounds it keeps the stricter one. */
export function combine(schemas: readonly RuleSchema[]): RuleSchema {
  const all: Record<string, unknown> = {};
  for (const [name, value] of schemas.flatMap((schema) => Object.entries(schema))) {
    const before = all[name];
    if (typeof value !== 'number' || typeof before !== 'number') all[name] = value;
    else all[name] = /^min|Minimum$/.test(name) ? Math.max(before, value) : Math.min(before, value);
  }
  return all;
}

/**
 * Syntax that regular expression engines read differently or not at all: groups other than `(?:`, escapes of letters,
 * empty classes.
 */
const NOT_PORTABLE = /\(\?[^:]|\\[^dDwW\W]|\[\^?\]/;

/** A pattern is documented only if ECMA-262, PCRE, RE2 and Java read it alike. */
function patternOf({ source, flags }: RegExp): RuleSchema {
  const isPortable = flags.replace(/[gu]/g, '') === '' && !NOT_PORTABLE.test(source);
  return { type: 'string', ...(isPortable && { pattern: source }) };
}
