import { ruledParameter, ruledProperty, type PropertyOptions, type PropertyRule } from './property-rule.js';

export interface StringOptions extends PropertyOptions<string> {
  /** Unicode code points, as JSON Schema counts them; 0 unless given (1 for a text). */
  readonly minLength?: number;
  /** Unicode code points. */
  readonly maxLength: number;
}

/** Any string of the given length without lone surrogates, kept as it is: no trim, no normalisation. */
export const StringProperty = (options: StringOptions): PropertyDecorator =>
  ruledProperty(stringRule(options), options);

/** A query parameter as `StringProperty`. */
export const StringParameter = (options: StringOptions): PropertyDecorator =>
  ruledParameter(stringRule(options), options);

/** A string for people to read: as `StringProperty`, not white space alone and without control characters. */
export const TextProperty = (options: StringOptions): PropertyDecorator => ruledProperty(textRule(options), options);

/** A query parameter as `TextProperty`. */
export const TextParameter = (options: StringOptions): PropertyDecorator => ruledParameter(textRule(options), options);

/** C0, DEL and C1. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f';
/**
 * Unicode White_Space without the control characters among it. The characters themselves, since PCRE and RE2 know no
 * `\uXXXX` (podlove/podlove-publisher#1537).
 */
const SPACE = '\\x20\\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000';

const HAS_CONTROL = new RegExp(`[${CONTROL}]`);

/**
 * One character that shows, and no control character. Each part begins where the part before cannot go on, so matching
 * takes linear time. The document carries it too, so that a client can know before it sends; not as the expression's
 * `source`, which has `\uXXXX` again.
 */
const TEXT = `^[${SPACE}]*[^${SPACE}${CONTROL}][^${CONTROL}]*$`;
export const TEXT_PATTERN = new RegExp(TEXT, 'u');

function stringRule({ minLength = 0, maxLength }: StringOptions): PropertyRule {
  return {
    name: 'string',
    problem(value) {
      if (typeof value !== 'string') return 'must be a string';
      if (!value.isWellFormed()) return 'must not contain lone surrogates';
      return hasLength(value, minLength, maxLength) ? undefined : `must have ${describeLength(minLength, maxLength)}`;
    },
    schema: { type: 'string', minLength, maxLength },
  };
}

function textRule({ minLength = 1, maxLength }: StringOptions): PropertyRule {
  const string = stringRule({ minLength, maxLength });
  return {
    name: 'text',
    problem(value) {
      const problem = string.problem(value);
      if (problem !== undefined || TEXT_PATTERN.test(value as string)) return problem;
      return HAS_CONTROL.test(value as string)
        ? 'must not contain control characters'
        : 'must not be empty or white space alone';
    },
    schema: { ...string.schema, pattern: TEXT },
  };
}

/** @param text well-formed, so that every high surrogate makes a pair. */
function hasLength(text: string, minimum: number, maximum: number): boolean {
  // A code point takes one or two UTF-16 units, so a long text is refused without being walked.
  if (text.length < minimum || text.length > 2 * maximum) return false;
  const pairs = text.match(/[\ud800-\udbff]/g)?.length ?? 0;
  const length = text.length - pairs;
  return length >= minimum && length <= maximum;
}

const describeLength = (minimum: number, maximum: number): string =>
  minimum === 0 ? `at most ${maximum} characters` : `${minimum} to ${maximum} characters`;
