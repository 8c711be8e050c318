import { plainToInstance } from 'class-transformer';
import type { ValidatorConstraintInterface } from 'class-validator';
import { getMetadataStorage, ValidationTypes, Validator } from './class-validator.js';
import { faultsOfError, type Fault } from './faults.js';
import { defaultOf } from './property-decorators.js';

/** A class with validation decorators that describes a request's body, query or path parameters. */
export type Dto<T extends object = object> = new () => T;

/** What the decorators of a class declare. */
export interface DtoShape<T extends object = object> {
  readonly dto: Dto<T>;
  /** The properties in the order of their declaration, inherited ones first. */
  readonly names: ReadonlySet<string>;
  readonly defaults: readonly (readonly [name: string, value: unknown])[];
  /** The properties that hold a nested object, or a list of them. */
  readonly nested: ReadonlyMap<string, 'object' | 'list'>;
  readonly accepts: Acceptance;
}

/** Undefined for a class without decorators. */
const shapes = new WeakMap<Dto, DtoShape | undefined>();

/**
 * The shape of a DTO class, read once from class-validator's metadata.
 *
 * @throws {TypeError} if the class has no validation decorators: its input would not be checked.
 */
export function shapeOf<T extends object>(dto: Dto<T>): DtoShape<T> {
  const shape = findShape(dto);
  if (shape === undefined)
    throw new TypeError(`Input is declared by a class with validation decorators, and ${dto.name} has none`);
  return shape as DtoShape<T>;
}

/** Whether a class has validation decorators, so that a handler can take it as input. */
export function hasShape(dto: Dto): boolean {
  return findShape(dto) !== undefined;
}

/** The shape of a value's class; undefined if the class is not a DTO. */
export function shapeOfInstance({ constructor }: object): DtoShape | undefined {
  return typeof constructor === 'function' ? findShape(constructor as Dto) : undefined;
}

function findShape(dto: Dto): DtoShape | undefined {
  let shape = shapes.get(dto);
  if (shape === undefined && !shapes.has(dto)) shapes.set(dto, (shape = readShape(dto)));
  return shape;
}

function readShape(dto: Dto): DtoShape | undefined {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  if (rules.length === 0) return undefined;
  // class-validator lists the rules of the class itself before inherited ones.
  const declared = rules.toSorted((a, b) => distance(a.target) - distance(b.target));
  const names = new Set(declared.map(({ propertyName }) => propertyName));
  const defaults = [...names].map((name) => [name, defaultOf(dto.prototype as object, name)] as const);
  const nested = declared.filter(({ type }) => type === ValidationTypes.NESTED_VALIDATION);
  return {
    dto,
    names,
    defaults: defaults.filter(([, value]) => value !== undefined),
    nested: new Map(nested.map(({ propertyName, each }) => [propertyName, each ? 'list' : 'object'])),
    // For a nested class without decorators this answers false, and class-validator itself decides.
    accepts: compileAcceptance(declared, (value) => shapeOfInstance(value)?.accepts(value) === true),
  };
}

/** The length of the prototype chain from a class to the root. */
function distance(target: unknown): number {
  let steps = 0;
  for (let at: unknown = target; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) steps++;
  return steps;
}

/** A DTO, and the faults that its validators found. */
interface Checked<T> {
  readonly instance: T;
  /** In the order in which the fields are declared. */
  readonly faults: Fault[];
}

/**
 * Creates the DTO from the given fields, applies the defaults and runs the validators.
 *
 * @param given declared fields only.
 */
export function checkFields<T extends object>(
  { dto, names, defaults, accepts }: DtoShape<T>,
  given: Readonly<Record<string, unknown>>,
): Checked<T> {
  // Implicit conversion would turn a number into the string "123" (class-transformer#257).
  const instance = plainToInstance(dto, given, { enableImplicitConversion: false });
  for (const [name, value] of defaults) {
    const fields = instance as Record<string, unknown>;
    if (fields[name] === undefined) fields[name] = value;
  }
  if (accepts(instance)) return { instance, faults: [] };
  const errors = new Validator().validateSync(instance, { validationError: { target: false, value: false } });
  const order = [...names];
  const sorted = errors.toSorted((a, b) => order.indexOf(a.property) - order.indexOf(b.property));
  return { instance, faults: sorted.flatMap((error) => faultsOfError(error, given)) };
}

/** One decorator on one property, as class-validator stores it. */
export type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Whether a value passes. False can also mean that class-validator itself has to decide. */
export type Acceptance = (instance: object) => boolean;

type Test = (instance: Record<string, unknown>, value: unknown) => boolean;

/**
 * Compiles the decorators of a class into a test that returns true only if `validateSync` would find no fault.
 *
 * There are two reasons. `validateSync` treats the promise of an asynchronous validator as a success, and this test
 * throws. And `validateSync` searches the metadata of every class on each call.
 *
 * @param acceptsNested the test for a `@ValidateNested` value.
 */
export function compileAcceptance(rules: readonly Rule[], acceptsNested: Acceptance): Acceptance {
  const tests = Map.groupBy(rules, ({ propertyName }) => propertyName);
  const properties = [...tests].map(([name, own]) => ({ name, accepts: compileProperty(own, acceptsNested) }));
  return (instance) => {
    const fields = instance as Record<string, unknown>;
    return properties.every(({ name, accepts }) => accepts(fields, fields[name]));
  };
}

function compileProperty(rules: readonly Rule[], acceptsNested: Acceptance): Test {
  const isConditional = ({ type }: Rule): boolean => type === ValidationTypes.CONDITIONAL_VALIDATION;
  const conditions = rules.filter(isConditional).map(({ constraints }) => {
    const [condition] = constraints as [(object: unknown, value: unknown) => boolean];
    return condition;
  });
  const tests = rules.filter((rule) => !isConditional(rule)).flatMap((rule) => compileRule(rule, acceptsNested));
  return (instance, value) =>
    conditions.some((condition) => !condition(instance, value)) || tests.every((test) => test(instance, value));
}

function compileRule(rule: Rule, acceptsNested: Acceptance): Test[] {
  switch (rule.type) {
    case ValidationTypes.CUSTOM_VALIDATION:
    case ValidationTypes.IS_DEFINED:
      return getMetadataStorage()
        .getTargetValidatorConstraints(rule.constraintCls)
        .map(({ instance }) => compileValidator(rule, instance));
    case ValidationTypes.NESTED_VALIDATION:
      return [(_, value) => acceptsEach(value, (item) => isObject(item) && acceptsNested(item))];
    case ValidationTypes.WHITELIST:
      return [];
    default:
      return [() => false];
  }
}

function compileValidator(rule: Rule, validator: ValidatorConstraintInterface): Test {
  const { propertyName: property, constraints } = rule;
  return (object, value) => {
    if (rule.validateIf && !rule.validateIf(object, value)) return true;
    const target = { targetName: object.constructor.name, property, object, value, constraints };
    const test = (item: unknown): boolean => synchronous(validator.validate(item, target), target.targetName, property);
    return rule.each && isCollection(value) ? itemsOf(value).every(test) : test(value);
  };
}

function synchronous(verdict: boolean | Promise<boolean>, targetName: string, property: string): boolean {
  if (typeof verdict === 'boolean') return verdict;
  throw new TypeError(
    `A validator of ${targetName}.${property} is asynchronous. What needs waiting belongs in a service`,
  );
}

/** As in class-validator, a missing value has no nested faults. */
function acceptsEach(value: unknown, test: (item: unknown) => boolean): boolean {
  if (value === undefined || value === null) return true;
  return isCollection(value) ? itemsOf(value).every(test) : test(value);
}

type Collection = readonly unknown[] | Set<unknown> | Map<unknown, unknown>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isCollection = (value: unknown): value is Collection =>
  Array.isArray(value) || value instanceof Set || value instanceof Map;

const itemsOf = (value: Collection): unknown[] => [...value.values()];
