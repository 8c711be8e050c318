import { customCleanEnv, EnvMissingError, type CleanedEnv, type ReporterOptions, type ValidatorSpec } from 'envalid';
import type { FaultList } from './fault-list.js';
import { fileSuffix, type GivenValue } from './given-values.js';
import type { Setting } from './config.js';
import { parserOf } from './value-kinds.js';

/**
 * Validates what is given and adds the defaults. A faulty value is undefined in the result, whatever its type says:
 * nothing of it may be used before the fault list is known to be empty.
 */
export function readValues<S extends Readonly<Record<string, ValidatorSpec<unknown>>>>(
  given: ReadonlyMap<string, GivenValue>,
  specs: S,
  faults: FaultList,
): Readonly<CleanedEnv<S>> {
  const texts = new Map([...given].map(([name, { text }]) => [name, text]));
  // envalid takes `devDefault` only where NODE_ENV is set.
  if (!texts.has('NODE_ENV')) texts.set('NODE_ENV', 'development');
  const reporter = ({ errors }: ReporterOptions<S>): void => {
    for (const [name, error] of Object.entries<Error | undefined>(errors)) {
      if (error) faults.add([{ name, reason: reasonOf(name, error, given.get(name)) }]);
    }
  };
  return customCleanEnv(Object.fromEntries(texts), specs, (cleaned) => cleaned, { reporter });
}

function reasonOf(name: string, error: Error, value: GivenValue | undefined): string {
  // Only production has no default for what it needs (variables.ts).
  if (error instanceof EnvMissingError) return 'is required in production';
  return value?.file === undefined ? error.message : `${error.message} (read from ${name}${fileSuffix})`;
}

/** Every variable of `specs` with its effective value as text, secrets masked, and where it came from. */
export function settingsOf(
  specs: Readonly<Record<string, ValidatorSpec<unknown>>>,
  values: Readonly<Record<string, unknown>>,
  given: ReadonlyMap<string, GivenValue>,
): Setting[] {
  return Object.entries(specs).map(([name, spec]) => {
    const value = values[name];
    const source = given.get(name);
    return {
      name,
      value: value === undefined ? '' : parserOf(spec).show(value),
      source: source === undefined ? 'default' : source.file === undefined ? 'environment' : 'file',
    };
  });
}
