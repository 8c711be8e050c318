import type { ValidatorSpec } from 'envalid';
import { fileSuffix } from './given-values.js';
import { isoDate } from './value-kinds.js';

/** `GET_PET_SUNSET` moves the day on which the operation `getPet` ends. The platform knows no operation by name. */
const suffix = '_SUNSET';
const sunsetVariable = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_SUNSET(_FILE)?$/;

/** A declaration for each sunset that an environment sets, under the variable's name. */
export function sunsetVariables(env: NodeJS.ProcessEnv): Record<string, ValidatorSpec<Date>> {
  const names = Object.keys(env)
    .filter((name) => sunsetVariable.test(name) && env[name])
    .map((name) => (name.endsWith(fileSuffix) ? name.slice(0, -fileSuffix.length) : name));
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, isoDate({ default: undefined })]));
}

/** The operation in CONSTANT_CASE, e.g. `GET_PET`. */
export function operationOf(name: string): string {
  return name.slice(0, -suffix.length);
}
