import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { registerDecorator, ValidateIf } from './class-validator.js';

/** The options of every property decorator of the platform. */
export interface PropertyOptions<T> {
  readonly description?: string;
  readonly example?: T;
  /**
   * False: the property may be absent, but not null. Default: true, unless the property has a default. For a query
   * parameter the default is false.
   */
  readonly required?: boolean;
  /** The value if the client sends none. It is also the default in the OpenAPI document, so the two cannot differ. */
  readonly default?: T;
}

/** What one kind of property accepts, both for the validator and for the OpenAPI document. */
export interface PropertyRule {
  /** The name of the constraint in class-validator's errors. */
  readonly name: string;
  /** What is wrong with a value, as text after the property's name: `must be a string`. Undefined for a valid value. */
  readonly problem: (value: unknown) => string | undefined;
  /**
   * Converts the value of the request for `problem` and the handler. A value that it cannot convert is returned
   * unchanged.
   */
  readonly convert?: (value: unknown) => unknown;
  readonly schema: ApiPropertyOptions;
}

const DEFAULT = Symbol('animal-store:default');
const CONVERTER = Symbol('animal-store:converter');

/**
 * Creates a property decorator from a rule. The decorator registers the rule with class-validator and
 * class-transformer, and documents it for @nestjs/swagger. Features create their own kinds of property with it.
 */
export function ruledProperty<T>(rule: PropertyRule, options: PropertyOptions<T>): PropertyDecorator {
  const required = options.required ?? options.default === undefined;
  const { description, example, default: value } = options;
  const schema = documented({ ...rule.schema, description, example, default: value, required });
  return (target, property) => {
    ApiProperty(schema)(target, property);
    registerRule(rule, target, property as string);
    if (!required) ValidateIf((_, value) => value !== undefined)(target, property);
    if (value !== undefined) Reflect.defineMetadata(DEFAULT, value, target, property);
  };
}

/** Like `ruledProperty`, for a query parameter, which is optional by default. */
export function ruledParameter<T>(rule: PropertyRule, options: PropertyOptions<T>): PropertyDecorator {
  return ruledProperty(rule, { ...options, required: options.required ?? false });
}

/** The default that the property was declared with; undefined if it has none. */
export function defaultOf(prototype: object, property: string): unknown {
  return Reflect.getMetadata(DEFAULT, prototype, property);
}

/** The function that converts the property's value; undefined if the value is not converted. */
export function converterOf(prototype: object, property: string): PropertyRule['convert'] {
  return Reflect.getMetadata(CONVERTER, prototype, property) as PropertyRule['convert'];
}

/**
 * Drops undefined options, and turns each bigint that is a safe integer into a number. A greater bigint stays, because
 * only `stringifyJson` writes it exactly.
 */
function documented(schema: object): ApiPropertyOptions {
  const given = Object.entries(schema).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, narrowed(value)]));
}

const narrowed = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

function registerRule(rule: PropertyRule, target: object, propertyName: string): void {
  const { convert } = rule;
  if (convert) {
    Transform(({ value }) => convert(value), { toClassOnly: true })(target, propertyName);
    Reflect.defineMetadata(CONVERTER, convert, target, propertyName);
  }
  registerDecorator({
    name: rule.name,
    target: target.constructor,
    propertyName,
    validator: {
      validate: (value: unknown) => rule.problem(value) === undefined,
      defaultMessage: (failed) => rule.problem(failed?.value) ?? '',
    },
  });
}

export interface StringOptions extends PropertyOptions<string> {
  /** Unicode code points, as in JSON Schema. Default: 0, and 1 for `TextProperty` and `TextParameter`. */
  readonly minLength?: number;
  /** Unicode code points. */
  readonly maxLength: number;
}

/** A string of the given length without lone surrogates. It is neither trimmed nor normalised. */
export const StringProperty = (options: StringOptions): PropertyDecorator =>
  ruledProperty(stringRule(options), options);

/** Like `StringProperty`, for a query parameter. */
export const StringParameter = (options: StringOptions): PropertyDecorator =>
  ruledParameter(stringRule(options), options);

/**
 * A string for people to read: like `StringProperty`, but with at least one visible character and without control
 * characters.
 */
export const TextProperty = (options: StringOptions): PropertyDecorator => ruledProperty(textRule(options), options);

/** Like `TextProperty`, for a query parameter. */
export const TextParameter = (options: StringOptions): PropertyDecorator => ruledParameter(textRule(options), options);

/** The control characters: C0, DEL and C1. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f';
/**
 * Unicode White_Space except control characters. It contains the characters themselves, because PCRE and RE2 do not
 * support `\uXXXX` (podlove/podlove-publisher#1537).
 */
const SPACE = '\\x20\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';

const HAS_CONTROL = new RegExp(`[${CONTROL}]`);

/**
 * At least one visible character, and no control character. Each part begins where the part before it cannot continue,
 * so matching takes linear time. The OpenAPI document contains this string, so that a client can check a value before
 * it sends it. The `source` of the regular expression would contain `\uXXXX` again.
 */
const TEXT = `^[${SPACE}]*[^${SPACE}${CONTROL}][^${CONTROL}]*$`;
export const TEXT_PATTERN = new RegExp(TEXT, 'u');

function stringRule({ minLength = 0, maxLength }: StringOptions): PropertyRule {
  return {
    name: 'string',
    problem(value) {
      if (typeof value !== 'string') return 'must be a string';
      if (!value.isWellFormed()) return 'must not contain lone surrogates';
      return hasLength(value, minLength, maxLength) ? undefined : `must have ${describeLength(minLength, maxLength)}`;
    },
    schema: { type: 'string', minLength, maxLength },
  };
}

function textRule({ minLength = 1, maxLength }: StringOptions): PropertyRule {
  const string = stringRule({ minLength, maxLength });
  return {
    name: 'text',
    problem(value) {
      const problem = string.problem(value);
      if (problem !== undefined || TEXT_PATTERN.test(value as string)) return problem;
      return HAS_CONTROL.test(value as string)
        ? 'must not contain control characters'
        : 'must not be empty or white space alone';
    },
    schema: { ...string.schema, pattern: TEXT },
  };
}

/** @param text well-formed, so that each high surrogate begins a pair. */
function hasLength(text: string, minimum: number, maximum: number): boolean {
  // A code point is one or two UTF-16 units, so a text that is far too long is refused without counting.
  if (text.length < minimum || text.length > 2 * maximum) return false;
  const pairs = text.match(/[\ud800-\udbff]/g)?.length ?? 0;
  const length = text.length - pairs;
  return length >= minimum && length <= maximum;
}

const describeLength = (minimum: number, maximum: number): string =>
  minimum === 0 ? `at most ${maximum} characters` : `${minimum} to ${maximum} characters`;

export interface EnumOptions<T extends string> extends PropertyOptions<T> {
  /** An enum, an object or a list of the allowed values. They are compared exactly, with case. */
  readonly enum: Readonly<Record<string, T>> | readonly T[];
  /** The name of the schema in the OpenAPI document, which bodies, queries and responses share. */
  readonly enumName: string;
  /** The description of that schema. Default: the description of the first property that uses it. */
  readonly enumDescription?: string;
}

/** One of a fixed set of strings. */
export const EnumProperty = <T extends string>(options: EnumOptions<T>): PropertyDecorator =>
  ruledProperty(enumRule(options), options);

/** Like `EnumProperty`, for a query parameter. */
export const EnumParameter = <T extends string>(options: EnumOptions<T>): PropertyDecorator =>
  ruledParameter(enumRule(options), options);

function enumRule<T extends string>(options: EnumOptions<T>): PropertyRule {
  const values = Object.values<T>(options.enum);
  const allowed = new Set<unknown>(values);
  const problem = `must be one of ${values.join(', ')}`;
  return {
    name: 'enum',
    problem: (value) => (allowed.has(value) ? undefined : problem),
    schema: {
      enum: values,
      enumName: options.enumName,
      ...(options.enumDescription !== undefined && { enumSchema: { description: options.enumDescription } }),
    },
  };
}

export interface IntegerOptions extends PropertyOptions<number> {
  /** Both bounds must lie within ±(2^53 − 1). For greater integers use `Int64Property`. */
  readonly minimum: number;
  readonly maximum: number;
}

/** A JSON number with an integer value (`5`, `5.0`, `5e0`) within the bounds. It is never clamped. */
export const IntegerProperty = (options: IntegerOptions): PropertyDecorator =>
  ruledProperty(integerRule(options), options);

/**
 * A query parameter in canonical decimal notation, within the bounds. It is never clamped. Everything else is refused:
 * empty text, `+5`, `05`, `5.0`, `1e1`, `0x5`, padding, digits of other scripts.
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

/** Any number of digits: a value that loses precision as a double is beyond the bounds anyway. */
const CANONICAL = /^(?:0|-?[1-9][0-9]*)$/;

const fromDecimal = (value: unknown): unknown =>
  typeof value === 'string' && CANONICAL.test(value) ? Number(value) : value;
