import type { ValidatorConstraintInterface } from 'class-validator';
import { getMetadataStorage, ValidationTypes } from './class-validator.js';

/** One decorator on one property, as class-validator keeps it. */
export type Rule = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

/** Whether a value passes; false may also mean that class-validator itself has to decide. */
export type Acceptance = (instance: object) => boolean;

type Test = (instance: Record<string, unknown>, value: unknown) => boolean;

/**
 * Compiles the decorators of a class into a test that says yes to what `validateSync` would find no fault with.
 *
 * Two reasons. `validateSync` takes a validator's promise for a yes, and this sees it. And it sorts through the metadata
 * of every class on each call.
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

/** A missing value has no nested faults, as in class-validator. */
function acceptsEach(value: unknown, test: (item: unknown) => boolean): boolean {
  if (value === undefined || value === null) return true;
  return isCollection(value) ? itemsOf(value).every(test) : test(value);
}

type Collection = readonly unknown[] | Set<unknown> | Map<unknown, unknown>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isCollection = (value: unknown): value is Collection =>
  Array.isArray(value) || value instanceof Set || value instanceof Map;

const itemsOf = (value: Collection): unknown[] => [...value.values()];
