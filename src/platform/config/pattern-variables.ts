import type { ValidatorSpec } from 'envalid';
import type { Fault } from './config-error.js';
import type { Setting } from './config.js';
import { fileSuffix, type GivenValues } from './environment.js';
import { isoDate, isReadableFile } from './value-kinds.js';

// Variables whose names are known by a pattern alone: those of sunsets, and OpenTelemetry's.

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

/** Files that the exporter opens by itself, and would wait for where one is a FIFO. */
const OPENED = /^OTEL_EXPORTER_OTLP_(TRACES_)?(CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY)$/;
/** Names of OpenTelemetry's own that end as `NAME_FILE` does. */
const OWN_FILE = '_CONFIG_FILE';

/** The name of every OTEL_ variable that is set, by itself or as `NAME_FILE`. */
export function openTelemetryNames(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('OTEL_'))
    .map((name) => (name.endsWith(fileSuffix) && !name.endsWith(OWN_FILE) ? name.slice(0, -fileSuffix.length) : name));
}

/** Every OTEL_ variable that is set, as given: OpenTelemetry defines and reads them. */
export function openTelemetryVariables(given: GivenValues): Record<string, string> {
  const entries = [...given].filter(([name]) => name.startsWith('OTEL_'));
  return Object.fromEntries(entries.map(([name, { text }]) => [name, text]));
}

/** The faults of those that name a file. */
export function openTelemetryFaults(otel: Readonly<Record<string, string>>): Fault[] {
  return Object.entries(otel)
    .filter(([name, path]) => OPENED.test(name) && !isReadableFile(path))
    .map(([name]) => ({ name, reason: 'must be the path of a file that can be read' }));
}

/**
 * The same for a person to read: headers and the user part of a URL may hold secrets.
 *
 * @param listed the variables that are shown already.
 */
export function openTelemetrySettings(given: GivenValues, listed: readonly string[]): Setting[] {
  return [...given]
    .filter(([name]) => name.startsWith('OTEL_') && !listed.includes(name))
    .map(([name, { text, file }]) => ({
      name,
      value: /HEADERS|KEY|PASSWORD|SECRET|TOKEN/.test(name) ? '***' : text.replace(/\/\/[^/]*@/g, '//***@'),
      source: file === undefined ? 'environment' : 'file',
    }));
}
