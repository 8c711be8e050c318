import { ApiError, coreErrors, type ErrorCode } from '../errors/index.js';
import { quoteName } from './quote-name.js';

export type FaultKind = 'missing' | 'unknown' | 'duplicate' | 'invalid';

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
