import type { Fault } from './config-error.js';
import type { Setting } from './config.js';
import { fileSuffix, type GivenValue } from './given-values.js';
import { isReadableFile } from './value-kinds.js';

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
export function openTelemetryVariables(given: ReadonlyMap<string, GivenValue>): Record<string, string> {
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
export function openTelemetrySettings(given: ReadonlyMap<string, GivenValue>, listed: readonly string[]): Setting[] {
  return [...given]
    .filter(([name]) => name.startsWith('OTEL_') && !listed.includes(name))
    .map(([name, { text, file }]) => ({
      name,
      value: /HEADERS|KEY|PASSWORD|SECRET|TOKEN/.test(name) ? '***' : text.replace(/\/\/[^/]*@/g, '//***@'),
      source: file === undefined ? 'environment' : 'file',
    }));
}
