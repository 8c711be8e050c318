import { checkFields } from './check-fields.js';
import { shapeOf, type Dto } from './dto-shape.js';
import { queryPrecedence, refusal } from './faults.js';

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
