import { accessSync, constants, statSync } from 'node:fs';
import { EnvError, makeExactValidator, type ExactValidator, type ValidatorSpec } from 'envalid';

/** Reads one kind of value, and says it as text. */
export interface ValueParser<T> {
  (text: string): T;
  /** Completes the sentence "must be …". */
  readonly accepts: string;
  /** The value as text again, any secret in it masked. */
  readonly show: (value: T) => string;
}

const parsers = new WeakMap<ValidatorSpec<unknown>, ValueParser<unknown>>();

/**
 * A kind of value, as an envalid validator.
 *
 * @param accepts completes the sentence "must be …"; with it the value is refused, and the documentation written.
 * @param parse gives the value, or undefined when the text is none of this kind.
 * @param show the value as text again, any secret in it masked.
 */
export function valueKind<T>(
  accepts: string,
  parse: (text: string) => T | undefined,
  show: (value: T) => string = String,
): ExactValidator<T> {
  const parser = (text: string): T => {
    const value = parse(text);
    if (value === undefined) throw new EnvError(`must be ${accepts}`);
    return value;
  };
  const declare = makeExactValidator<T>(parser) as (options?: object) => ValidatorSpec<T>;
  return ((options?: object) => {
    const spec = declare(options);
    parsers.set(spec, Object.assign(parser, { accepts, show }) as ValueParser<unknown>);
    return spec;
  }) as ExactValidator<T>;
}

/** The parser of a variable that was declared with one of these kinds. */
export function parserOf<T>(spec: ValidatorSpec<T>): ValueParser<T> {
  return parsers.get(spec) as ValueParser<T>;
}

/** A decimal integer within bounds, both included. No sign, no leading zero, no exponent, no space. */
export function integer(min: number, max: number): ExactValidator<number> {
  return valueKind(`a whole number from ${min} to ${max}`, (text) => integerWithin(text, min, max));
}

export function integerWithin(text: string, min: number, max: number): number | undefined {
  if (!/^(0|[1-9][0-9]{0,14})$/.test(text)) return undefined;
  const value = Number(text);
  return value >= min && value <= max ? value : undefined;
}

export const boolean = valueKind('true or false', (text) =>
  text === 'true' ? true : text === 'false' ? false : undefined,
);

/** OpenTelemetry compares the words of a boolean without regard to case. */
export const openTelemetryBoolean = valueKind('true or false', (text) => {
  const word = text.toLowerCase();
  return word === 'true' ? true : word === 'false' ? false : undefined;
});

/** One of a few words, exactly as written. */
export function oneOf<const Word extends string>(...words: readonly Word[]): ExactValidator<Word> {
  return valueKind<Word>(`one of ${words.join(', ')}`, (text) => words.find((word) => word === text));
}

/** Some of a few words, exactly as written, with commas between them. */
export function someOf<const Word extends string>(...words: readonly Word[]): ExactValidator<readonly Word[]> {
  return valueKind<readonly Word[]>(
    `some of ${words.join(', ')}, with commas between`,
    (text) => listOf(text, (item) => words.find((word) => word === item)),
    (list) => list.join(','),
  );
}

/** A day, `YYYY-MM-DD`, as its first instant in UTC. */
export const isoDate = valueKind<Date>(
  'a date, YYYY-MM-DD',
  (text) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
    const date = new Date(`${text}T00:00:00Z`);
    // Some engines roll 30 February over into March.
    return !Number.isNaN(date.getTime()) && showDate(date) === text ? date : undefined;
  },
  showDate,
);

function showDate(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The path of a file that can be read now. The value is the path: the reader opens the file anew when it needs it. */
export const readableFile = valueKind('the path of a file that can be read', (path) =>
  isReadableFile(path) ? path : undefined,
);

export function isReadableFile(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Names of features, in lower kebab case. */
export const featureNames = valueKind<readonly string[]>(
  'a comma-separated list of names of features',
  (text) => listOf(text, (item) => (/^[a-z][a-z0-9-]*$/.test(item) ? item : undefined)),
  (list) => list.join(','),
);

/** The items between the commas, spaces around them allowed; undefined when one is refused. */
export function listOf<T>(text: string, parse: (item: string) => T | undefined): readonly T[] | undefined {
  const items = text.split(',').map((item) => parse(item.trim()));
  return items.includes(undefined) ? undefined : (items as T[]);
}
