import { ApiError, coreErrors } from '../errors/index.js';
import { checkFields } from './check-fields.js';
import { shapeOf, type Dto } from './dto-shape.js';
import { bodyPrecedence, refusal, type Fault } from './faults.js';
import { nestedFaults, unknownField, withoutPrototypeNames } from './nested-faults.js';

/**
 * Makes a DTO of a parsed JSON body, exactly what its decorators declare.
 *
 * @param plain what `parseJson` gave.
 * @throws {ApiError} missing_field, unknown_field or invalid_field, the first of them that applies; the message names
 * every field that is wrong. A body that is not an object is invalid_field.
 */
export function validateBody<T extends object>(dto: Dto<T>, plain: unknown): T {
  const shape = shapeOf(dto);
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw new ApiError(coreErrors.invalidField, 'The request body must be a JSON object.');
  }
  const given: Record<string, unknown> = {};
  const unknown: Fault[] = [];
  for (const [name, value] of Object.entries(plain)) {
    if (shape.names.has(name)) given[name] = withoutPrototypeNames(value, name, unknown);
    else unknown.push(unknownField('', name));
  }
  const { instance, faults } = checkFields(shape, given);
  const all = [...faults, ...nestedFaults(instance, given), ...unknown];
  if (all.length > 0) throw refusal(all, bodyPrecedence);
  return instance;
}
