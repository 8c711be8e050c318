import { ApiError, coreErrors } from '../errors/index.js';
import { checkFields } from './check-fields.js';
import { shapeOf, type Dto } from './dto-shape.js';
import { bodyPrecedence, refusal, type Fault, nestedFaults, unknownField, withoutPrototypeNames } from './faults.js';

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
