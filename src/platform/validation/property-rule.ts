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
