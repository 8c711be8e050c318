import type { ValidationError } from 'class-validator';
import { Validator } from './class-validator.js';
import type { DtoShape } from './dto-shape.js';
import type { Fault } from './faults.js';

interface Checked<T> {
  readonly instance: T;
  /** In the order in which the fields are declared. */
  readonly faults: Fault[];
}

/**
 * Makes the DTO of the fields that it declares and runs its validators.
 *
 * @param given declared fields only.
 */
export function checkFields<T extends object>(
  { names, defaults, convert, accepts }: DtoShape<T>,
  given: Readonly<Record<string, unknown>>,
): Checked<T> {
  const instance = convert(given);
  for (const [name, value] of defaults) {
    const fields = instance as Record<string, unknown>;
    if (fields[name] === undefined) fields[name] = value;
  }
  if (accepts(instance)) return { instance, faults: [] };
  const errors = new Validator().validateSync(instance, { validationError: { target: false, value: false } });
  const order = [...names];
  const sorted = errors.toSorted((a, b) => order.indexOf(a.property) - order.indexOf(b.property));
  return { instance, faults: sorted.flatMap((error) => faultsOf(error, given, '')) };
}

function faultsOf({ property, constraints, children }: ValidationError, plain: unknown, path: string): Fault[] {
  const field = path === '' ? property : Array.isArray(plain) ? `${path}[${property}]` : `${path}.${property}`;
  const faults: Fault[] = [];
  if (constraints) faults.push(faultOf(field, property, constraints, plain));
  const value = isGiven(plain, property) ? (plain as Record<string, unknown>)[property] : undefined;
  for (const child of children ?? []) faults.push(...faultsOf(child, value, field));
  return faults;
}

function faultOf(field: string, property: string, constraints: Record<string, string>, plain: unknown): Fault {
  // Whatever a validator says of a field that is not there, what is wrong is that it is not there.
  if (!isGiven(plain, property)) return { kind: 'missing', field, problem: 'is required' };
  // The messages of class-validator's own decorators begin with the property's name.
  const prefix = `${property} `;
  const problems = Object.values(constraints).map((text) =>
    text.startsWith(prefix) ? text.slice(prefix.length) : text,
  );
  return { kind: 'invalid', field, problem: problems.join(' and ') };
}

const isGiven = (plain: unknown, property: string): boolean =>
  typeof plain === 'object' && plain !== null && Object.hasOwn(plain, property);
