import { ApiError, coreErrors, type ErrorCode } from '../errors/index.js';
import type { ValidationError } from 'class-validator';

type FaultKind = 'missing' | 'unknown' | 'duplicate' | 'invalid';

/** One fault in a request. */
export interface Fault {
  readonly kind: FaultKind;
  /**
   * The path of the declared field, for example `items[0].name`. For `unknown`: the path of the object that contains
   * the field, empty at the top level.
   */
  readonly field: string;
  /** The name that the client sent, for `unknown`. It is untrusted. */
  readonly name?: string;
  /** The text after the field's name in the message: `is required`. */
  readonly problem: string;
}

/** The error code of each kind of fault. The first kind that occurs determines the code of the response. */
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

/** A client chooses how many unknown names and list items it sends. These bounds limit the length of the response. */
const MAX_UNKNOWN = 10;
const MAX_DECLARED = 50;

/**
 * The error for the faults: one code, and a message that names the fields, up to the bounds above.
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

/**
 * Characters that are not printed or that change how text is printed: control and format characters (these can change
 * the direction of text), surrogates, unassigned code points, line and paragraph separators.
 */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A name that a client chose, made safe for a message: in JSON quotes, cut, and with invisible characters escaped. */
function quoteName(name: string): string {
  const cut = name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…` : name;
  return JSON.stringify(cut).replace(INVISIBLE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

/**
 * The faults that class-validator found in a property and in its nested values.
 *
 * @param plain the object that contains the property, as the client sent it.
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
  // An absent field fails its validators too, but the fault to report is its absence.
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
