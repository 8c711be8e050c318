import { ApiError, coreErrors, type ErrorCode } from '../errors/index.js';
import type { ValidationError } from 'class-validator';

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

/**
 * What class-validator says of a property and of what is in it.
 *
 * @param plain what the client sent, that holds the property.
 */
export function faultsOfError(
  { property, constraints, children }: ValidationError,
  plain: unknown,
  path = '',
): Fault[] {
  const field = path === '' ? property : Array.isArray(plain) ? `${path}[${property}]` : `${path}.${property}`;
  const faults: Fault[] = [];
  if (constraints) faults.push(faultOf(field, property, constraints, plain));
  const value = isGiven(plain, property) ? (plain as Record<string, unknown>)[property] : undefined;
  for (const child of children ?? []) faults.push(...faultsOfError(child, value, field));
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
