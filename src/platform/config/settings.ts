import type { ValidatorSpec } from 'envalid';
import type { Setting } from './config.js';
import type { GivenValue } from './given-values.js';
import { parserOf } from './value-kinds.js';

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
