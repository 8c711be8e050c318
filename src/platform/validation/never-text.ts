import { getMetadataStorage } from './class-validator.js';
import { isOwn } from './conversion.js';
import type { Dto } from './dto-shape.js';
import { converterOf } from './property-rule.js';

/** The decorators of numbers, booleans and dates, by the names that class-validator keeps: no text passes any of them. */
const NEVER_TEXT: ReadonlySet<string | undefined> = new Set([
  'integer',
  'int64',
  'isInt',
  'isNumber',
  'isPositive',
  'isNegative',
  'isDivisibleBy',
  'min',
  'max',
  'isBoolean',
  'isDate',
]);

/** The properties of a class that refuse every text, so that as parameters of a query they could not be given at all. */
export function neverText(dto: Dto): string[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  const names = rules.filter(({ name }) => NEVER_TEXT.has(name)).map(({ propertyName }) => propertyName);
  return [...new Set(names)].filter((name) => !isConverted(dto, name));
}

/** Whether something makes another thing of a text that comes for a property. */
function isConverted(dto: Dto, name: string): boolean {
  if (!isOwn(dto, name)) return true;
  // What the house's decorators convert for a body is a number; those for a query convert this text of one.
  const convert = converterOf(dto.prototype as object, name);
  return convert !== undefined && typeof convert('1') !== 'string';
}
