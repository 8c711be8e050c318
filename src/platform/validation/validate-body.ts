import { ApiError, coreErrors } from '../errors/index.js';
import { checkFields, shapeOf, shapeOfInstance, type Dto } from './dto.js';
import { bodyPrecedence, refusal, type Fault } from './faults.js';

/**
 * Creates a DTO from a parsed JSON body, exactly as its decorators declare.
 *
 * @param plain the value that `parseJson` returned.
 * @param field the name of the body field that the value comes from; undefined for the whole body.
 * @throws {ApiError} missing_field, unknown_field or invalid_field, the first of them that applies. The message names
 * the fields at fault. A body that is not an object is invalid_field.
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
 * Refuses all fields of a body that are not in `known`.
 *
 * @throws {ApiError} unknown_field.
 */
export function refuseFields(body: unknown, known: readonly string[]): void {
  const names = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  const faults = names.filter((name) => !known.includes(name)).map((name) => unknownField('', name));
  if (faults.length > 0) throw refusal(faults, bodyPrecedence);
}

type Plain = Readonly<Record<string, unknown>>;

/**
 * class-transformer reads a value's `constructor` and skips `__proto__`, so it must never get either of them as data.
 */
const PROTOTYPE_NAMES = new Set(['__proto__', 'constructor']);

/** Copies a JSON value without these names. Each one found is added to `faults` as unknown. */
function withoutPrototypeNames(value: unknown, path: string, faults: Fault[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, at) => withoutPrototypeNames(item, `${path}[${at}]`, faults));
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (PROTOTYPE_NAMES.has(name)) faults.push(unknownField(path, name));
    else copy[name] = withoutPrototypeNames(member, `${path}.${name}`, faults);
  }
  return copy;
}

/** Faults that class-validator does not report: unknown fields in nested DTOs, and a list in place of one object. */
function nestedFaults(instance: object, plain: Plain, path = ''): Fault[] {
  const { names = [], nested } = shapeOfInstance(instance) ?? {};
  return [...names].flatMap((name) => {
    const field = path === '' ? name : `${path}.${name}`;
    const value = plain[name];
    const holds = nested?.get(name);
    if (holds === 'object' && Array.isArray(value)) return [{ kind: 'invalid', field, problem: 'must be an object' }];
    if (holds === 'list' && Array.isArray(value) && value.some(Array.isArray))
      return [{ kind: 'invalid', field, problem: 'must be a list of objects' }];
    return faultsInside((instance as Plain)[name], value, field);
  });
}

function faultsInside(value: unknown, plain: unknown, path: string): Fault[] {
  if (typeof value !== 'object' || value === null || typeof plain !== 'object' || plain === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => faultsInside(item, (plain as unknown[])[at], `${path}[${at}]`));
  }
  const shape = shapeOfInstance(value);
  if (shape === undefined) return [];
  const unknown = Object.keys(plain).filter((name) => !shape.names.has(name));
  return [...unknown.map((name) => unknownField(path, name)), ...nestedFaults(value, plain as Plain, path)];
}

const unknownField = (field: string, name: string): Fault => ({
  kind: 'unknown',
  field,
  name,
  problem: 'is not a known field',
});
