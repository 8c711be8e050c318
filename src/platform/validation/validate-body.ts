import { ApiError, coreErrors } from '../errors/index.js';
import { shapeOf, type Dto, type DtoShape } from './dto-shape.js';
import {
  bodyPrecedence,
  refusal,
  type Fault,
  nestedFaults,
  unknownField,
  withoutPrototypeNames,
  queryPrecedence,
} from './faults.js';
import type { ValidationError } from 'class-validator';
import { Validator } from './class-validator.js';

/**
 * Makes a DTO of a parsed JSON body, exactly what its decorators declare.
 *
 * @param plain what `parseJson` gave.
 * @param field the name of the field that it is; undefined for the whole body.
 * @throws {ApiError} missing_field, unknown_field or invalid_field, the first of them that applies; the message names
 * every field that is wrong. A body that is not an object is invalid_field.
 */
export function validateBody<T extends object>(dto: Dto<T>, plain: unknown, field?: string): T {
  if (plain === undefined && field !== undefined) {
    throw refusal([{ kind: 'missing', field, problem: 'is required' }], bodyPrecedence);
  }
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw new ApiError(coreErrors.invalidField, `${field ?? 'The request body'} must be a JSON object.`);
  }
  const { instance, faults } = checkObject(dto, plain);
  const named = field === undefined ? faults : faults.map((fault) => inside(field, fault));
  if (named.length > 0) throw refusal(named, bodyPrecedence);
  return instance;
}

function checkObject<T extends object>(dto: Dto<T>, plain: object): { instance: T; faults: Fault[] } {
  const shape = shapeOf(dto);
  const given: Record<string, unknown> = {};
  const unknown: Fault[] = [];
  for (const [name, value] of Object.entries(plain)) {
    if (shape.names.has(name)) given[name] = withoutPrototypeNames(value, name, unknown);
    else unknown.push(unknownField('', name));
  }
  const { instance, faults } = checkFields(shape, given);
  return { instance, faults: [...faults, ...nestedFaults(instance, given), ...unknown] };
}

const inside = (path: string, fault: Fault): Fault => ({
  ...fault,
  field: fault.field === '' ? path : `${path}.${fault.field}`,
});

/**
 * Refuses the fields of a body that a handler takes none of.
 *
 * @throws {ApiError} unknown_field.
 */
export function refuseFields(body: unknown, known: readonly string[]): void {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  const faults = names.filter((name) => !known.includes(name)).map((name) => unknownField('', name));
  if (faults.length > 0) throw refusal(faults, bodyPrecedence);
}

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
function checkFields<T extends object>(
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

/**
 * Makes a DTO of a query, exactly what its decorators declare. Names and values are decoded as
 * application/x-www-form-urlencoded (WHATWG URL), which never fails: broken percent-encoding is a value like another.
 *
 * @param query parsed, or as the URL has it after its first `?`.
 * @throws {ApiError} unknown_parameter, duplicate_parameter or invalid_parameter, the first of them that applies; the
 * message names every parameter that is wrong.
 */
export function validateQuery<T extends object>(dto: Dto<T>, query: URLSearchParams | string): T {
  const shape = shapeOf(dto);
  const given: Record<string, unknown> = {};
  const unknown = new Set<string>();
  const repeated = new Set<string>();
  for (const [name, value] of parametersOf(query)) {
    if (!shape.names.has(name)) unknown.add(name);
    else if (Object.hasOwn(given, name)) repeated.add(name);
    else given[name] = value;
  }
  const { instance, faults } = checkFields(shape, given);
  const all = [...[...repeated].map(duplicateParameter), ...faults, ...[...unknown].map(unknownParameter)];
  if (all.length > 0) throw refusal(all, queryPrecedence);
  return instance;
}

/**
 * Refuses the parameters of a query that a handler takes none of, and those that are given twice.
 *
 * @param known the names that it takes, each with whether it may be given more than once.
 * @throws {ApiError} unknown_parameter, duplicate_parameter.
 */
export function refuseQuery(query: URLSearchParams | string, known: ReadonlyMap<string, boolean> = new Map()): void {
  const given = parametersOf(query);
  const names = [...new Set(given.keys())];
  const repeated = names.filter((name) => known.get(name) === false && given.getAll(name).length > 1);
  const unknown = names.filter((name) => !known.has(name));
  const all = [...repeated.map(duplicateParameter), ...unknown.map(unknownParameter)];
  if (all.length > 0) throw refusal(all, queryPrecedence);
}

/** The constructor drops one leading `?`; given here, the query's own is kept. */
const parametersOf = (query: URLSearchParams | string): URLSearchParams =>
  typeof query === 'string' ? new URLSearchParams(`?${query}`) : query;

const unknownParameter = (name: string): Fault => ({
  kind: 'unknown',
  field: '',
  name,
  problem: 'is not a known parameter',
});

const duplicateParameter = (field: string): Fault => ({ kind: 'duplicate', field, problem: 'is given more than once' });

/**
 * Makes a DTO of the parameters of a path, as far as its decorators declare them.
 *
 * @throws {ApiError} invalid_parameter, whose message names every parameter that is wrong.
 */
export function validateParams<T extends object>(dto: Dto<T>, params: Readonly<Record<string, unknown>>): T {
  const shape = shapeOf(dto);
  const given = Object.fromEntries(Object.entries(params).filter(([name]) => shape.names.has(name)));
  const { instance, faults } = checkFields(shape, given);
  if (faults.length > 0) throw refusal(faults, queryPrecedence);
  return instance;
}
