import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { registerDecorator, ValidateIf } from './class-validator.js';

/** What every property decorator of the platform takes. */
export interface PropertyOptions<T> {
  readonly description?: string;
  readonly example?: T;
  /** False: may be absent, never null. True unless there is a default; a query parameter is optional unless it is true. */
  readonly required?: boolean;
  /** The value where the client gives none, and the documented default: one cannot differ from the other. */
  readonly default?: T;
}

/** What one kind of property accepts, for the validator and for the document at once. */
export interface PropertyRule {
  /** Names the constraint in class-validator's errors. */
  readonly name: string;
  /** What is wrong with a value, to follow the property's name: `must be a string`. Undefined when it is right. */
  readonly problem: (value: unknown) => string | undefined;
  /** Converts what the client sent to what `problem` and the handler see; returns a value that it cannot convert as it is. */
  readonly convert?: (value: unknown) => unknown;
  readonly schema: ApiPropertyOptions;
}

const DEFAULT = Symbol('animal-store:default');
const CONVERTER = Symbol('animal-store:converter');

/**
 * Makes a property decorator of a rule: it registers the rule with class-validator and class-transformer and describes
 * it to @nestjs/swagger. Teams make their own kinds of property with it.
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

/** Like `ruledProperty`, for a query parameter: optional unless it is declared required. */
export function ruledParameter<T>(rule: PropertyRule, options: PropertyOptions<T>): PropertyDecorator {
  return ruledProperty(rule, { ...options, required: options.required ?? false });
}

/** The default that the property was declared with; undefined where there is none. */
export function defaultOf(prototype: object, property: string): unknown {
  return Reflect.getMetadata(DEFAULT, prototype, property);
}

/** What turns the property's value into its own kind; undefined where it is taken as it comes. */
export function converterOf(prototype: object, property: string): PropertyRule['convert'] {
  return Reflect.getMetadata(CONVERTER, prototype, property) as PropertyRule['convert'];
}

/**
 * Without what is not given, and with a bigint as a number where that has the same digits. A greater one stays: only
 * `stringifyJson` writes it, and with its true digits.
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
  /** Unicode code points, as JSON Schema counts them; 0 unless given (1 for a text). */
  readonly minLength?: number;
  /** Unicode code points. */
  readonly maxLength: number;
}

/** Any string of the given length without lone surrogates, kept as it is: no trim, no normalisation. */
export const StringProperty = (options: StringOptions): PropertyDecorator =>
  ruledProperty(stringRule(options), options);

/** A query parameter as `StringProperty`. */
export const StringParameter = (options: StringOptions): PropertyDecorator =>
  ruledParameter(stringRule(options), options);

/** A string for people to read: as `StringProperty`, not white space alone and without control characters. */
export const TextProperty = (options: StringOptions): PropertyDecorator => ruledProperty(textRule(options), options);

/** A query parameter as `TextProperty`. */
export const TextParameter = (options: StringOptions): PropertyDecorator => ruledParameter(textRule(options), options);

/** C0, DEL and C1. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f';
/**
 * Unicode White_Space without the control characters among it. The characters themselves, since PCRE and RE2 know no
 * `\uXXXX` (podlove/podlove-publisher#1537).
 */
const SPACE = '\\x20\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';

const HAS_CONTROL = new RegExp(`[${CONTROL}]`);

/**
 * One character that shows, and no control character. Each part begins where the part before cannot go on, so matching
 * takes linear time. The document carries it too, so that a client can know before it sends; not as the expression's
 * `source`, which has `\uXXXX` again.
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

/** @param text well-formed, so that every high surrogate makes a pair. */
function hasLength(text: string, minimum: number, maximum: number): boolean {
  // A code point takes one or two UTF-16 units, so a long text is refused without being walked.
  if (text.length < minimum || text.length > 2 * maximum) return false;
  const pairs = text.match(/[\ud800-\udbff]/g)?.length ?? 0;
  const length = text.length - pairs;
  return length >= minimum && length <= maximum;
}

const describeLength = (minimum: number, maximum: number): string =>
  minimum === 0 ? `at most ${maximum} characters` : `${minimum} to ${maximum} characters`;

export interface EnumOptions<T extends string> extends PropertyOptions<T> {
  /** An enum, an object or a list of the values that are allowed, exact and case-sensitive. */
  readonly enum: Readonly<Record<string, T>> | readonly T[];
  /** The name of the schema in the document: one for body, query and response. */
  readonly enumName: string;
  /** What the schema of that name says of itself; else it repeats what the first property says. */
  readonly enumDescription?: string;
}

/** One of a closed set of strings. */
export const EnumProperty = <T extends string>(options: EnumOptions<T>): PropertyDecorator =>
  ruledProperty(enumRule(options), options);

/** A query parameter as `EnumProperty`. */
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
