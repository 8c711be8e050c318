import { shapeOfInstance } from './dto-shape.js';
import type { Fault } from './faults.js';

type Plain = Readonly<Record<string, unknown>>;

/** class-transformer reads a value's `constructor` and skips `__proto__`, so neither may reach it as data. */
const PROTOTYPE_NAMES = new Set(['__proto__', 'constructor']);

/** A copy of a JSON value without the names that would be taken for its prototype; each goes to `faults` as unknown. */
export function withoutPrototypeNames(value: unknown, path: string, faults: Fault[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item, at) => withoutPrototypeNames(item, `${path}[${at}]`, faults));
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (PROTOTYPE_NAMES.has(name)) faults.push(unknownField(path, name));
    else copy[name] = withoutPrototypeNames(member, `${path}.${name}`, faults);
  }
  return copy;
}

/** Unknown fields of the DTOs inside a DTO, and lists where one object belongs, which class-validator lets pass. */
export function nestedFaults(instance: object, plain: Plain, path = ''): Fault[] {
  const faults: Fault[] = [];
  const { names, objects, lists } = shapeOfInstance(instance);
  for (const name of names) {
    const field = path === '' ? name : `${path}.${name}`;
    if (objects.has(name) && Array.isArray(plain[name])) {
      faults.push({ kind: 'invalid', field, problem: 'must be an object' });
    } else if (lists.has(name) && Array.isArray(plain[name]) && plain[name].some(Array.isArray)) {
      faults.push({ kind: 'invalid', field, problem: 'must be a list of objects' });
    } else faults.push(...faultsInside((instance as Plain)[name], plain[name], field));
  }
  return faults;
}

function faultsInside(value: unknown, plain: unknown, path: string): Fault[] {
  if (typeof value !== 'object' || value === null || typeof plain !== 'object' || plain === null) return [];
  if (Array.isArray(value)) {
    return value.flatMap((item, at) => faultsInside(item, (plain as unknown[])[at], `${path}[${at}]`));
  }
  const { names } = shapeOfInstance(value);
  if (names.size === 0) return [];
  const unknown = Object.keys(plain).filter((name) => !names.has(name));
  return [...unknown.map((name) => unknownField(path, name)), ...nestedFaults(value, plain as Plain, path)];
}

export const unknownField = (field: string, name: string): Fault => ({
  kind: 'unknown',
  field,
  name,
  problem: 'is not a known field',
});
