import { ApiError, coreErrors, type ErrorCode } from '../errors/index.js';
import { shapeOfInstance } from './dto-shape.js';

type FaultKind = 'missing' | 'unknown' | 'duplicate' | 'invalid';

/** One thing that is wrong with what a client sent. */
export interface Fault {
  readonly kind: FaultKind;
  /** The declared field, `items[0].name`; of an unknown one the object that it is in, empty at the top. */
  readonly field: string;
  /** The name that the client chose, for `unknown`. Not to be trusted. */
  readonly name?: string;
  /** What follows the name: `is required`. */
  readonly problem: string;
}

/** The code of the error by the first kind of fault that there is. */
type Precedence = readonly (readonly [kind: FaultKind, code: ErrorCode])[];

export const bodyPrecedence: Precedence = [
  ['missing', coreErrors.missingField],
  ['unknown', coreErrors.unknownField],
  ['invalid', coreErrors.invalidField],
];

export const queryPrecedence: Precedence = [
  ['unknown', coreErrors.unknownParameter],
  ['duplicate', coreErrors.duplicateParameter],
  ['missing', coreErrors.invalidParameter],
  ['invalid', coreErrors.invalidParameter],
];

/** A client chooses how many unknown names, and items of a list, it sends, but not how long the answer gets. */
const MAX_UNKNOWN = 10;
const MAX_DECLARED = 50;

/**
 * The error for faults: one code, and a message that names every field.
 *
 * @param faults at least one.
 */
export function refusal(faults: readonly Fault[], precedence: Precedence): ApiError {
  const first = precedence.find(([kind]) => faults.some((fault) => fault.kind === kind));
  const declared = faults.filter(({ kind }) => kind !== 'unknown').slice(0, MAX_DECLARED);
  const unknown = faults.filter(({ kind }) => kind === 'unknown').slice(0, MAX_UNKNOWN);
  const named = [...declared, ...unknown].map((fault) => `${describeField(fault)}: ${fault.problem}`);
  const rest = faults.length - named.length;
  return new ApiError(
    first?.[1] ?? coreErrors.badRequest,
    [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; '),
  );
}

function describeField({ field, name }: Fault): string {
  if (name === undefined) return field;
  return field === '' ? quoteName(name) : `${field}.${quoteName(name)}`;
}

const MAX_LENGTH = 64;

/** Not printed or printed as something else: controls, formats (they turn the direction), surrogates, unassigned. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name that a client chose, in JSON quotes, cut and with what does not show escaped, so that a message can carry it. */
function quoteName(name: string): string {
  const cut = name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…` : name;
  return JSON.stringify(cut).replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

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
