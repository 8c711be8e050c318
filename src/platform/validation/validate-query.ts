import { checkFields } from './check-fields.js';
import { shapeOf, type Dto } from './dto-shape.js';
import { queryPrecedence, refusal, type Fault } from './faults.js';

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
