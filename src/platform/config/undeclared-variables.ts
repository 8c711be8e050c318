import type { ValidatorSpec } from 'envalid';
import { closest, distance } from 'fastest-levenshtein';
import type { Setting } from './config.js';
import { fileSuffix, type Fault, type GivenValues } from './environment.js';
import { isoDate, isReadableFile } from './value-kinds.js';

// Variables that variables.ts does not declare: sunsets and those of OpenTelemetry, which are recognised by a pattern,
// and misspelt ones.

/** `GET_PET_SUNSET` overrides the day on which the operation `getPet` ends. The platform knows no operation by name. */
const sunsetVariable = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*_SUNSET(_FILE)?$/;

/** Declares each sunset variable that the environment sets, by name. */
export function sunsetVariables(env: NodeJS.ProcessEnv): Record<string, ValidatorSpec<Date>> {
  const names = Object.keys(env)
    .filter((name) => sunsetVariable.test(name) && env[name])
    .map((name) => name.replace(/_FILE$/, ''));
  return Object.fromEntries([...new Set(names)].sort().map((name) => [name, isoDate({ default: undefined })]));
}

/** The name of the operation in CONSTANT_CASE, e.g. `GET_PET`. */
export function operationOf(name: string): string {
  return name.replace(/_SUNSET$/, '');
}

/** Variables with files that the exporter opens itself. It would block on a FIFO. */
const OPENED = /^OTEL_EXPORTER_OTLP_(TRACES_)?(CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY)$/;

/**
 * The name of every OTEL_ variable that is set, directly or as `NAME_FILE`. OTEL_CONFIG_FILE is a variable of
 * OpenTelemetry itself.
 */
export function openTelemetryNames(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('OTEL_'))
    .map((name) => name.replace(/(?<!_CONFIG)_FILE$/, ''));
}

/** Every OTEL_ variable that is set, unchanged. OpenTelemetry defines and reads them. */
export function openTelemetryVariables(given: GivenValues): Record<string, string> {
  const entries = [...given].filter(([name]) => name.startsWith('OTEL_'));
  return Object.fromEntries(entries.map(([name, { text }]) => [name, text]));
}

/** The faults of OTEL_ variables that name a file. */
export function openTelemetryFaults(otel: Readonly<Record<string, string>>): Fault[] {
  return Object.entries(otel)
    .filter(([name, path]) => OPENED.test(name) && !isReadableFile(path))
    .map(([name]) => ({ name, reason: 'must be the path of a file that can be read' }));
}

/**
 * The OTEL_ variables for a person to read. Headers and the user part of a URL are masked, because they may hold
 * secrets.
 *
 * @param listed names that are already shown.
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

/** First words that probably only variables of this service have. */
const ownPrefix =
  /^(API_KEYS?|AUTH_FAILURES?|CORS|DATABASE|DOCS|HTTP|LIVENESS|LOG|MANAGEMENT|METRICS|MIGRATIONS?|RATE_LIMIT|READINESS|SHED|SHUTDOWN)_/;

/**
 * Warns of each unknown variable that looks like one of this service: by its first word, or because it differs from a
 * known name by one or two letters.
 */
export function warnOfUnknown(env: NodeJS.ProcessEnv, known: readonly string[]): string[] {
  const accepted = [...known, ...known.map((name) => name + fileSuffix)];
  return Object.keys(env)
    .filter((name) => /^\w+$/.test(name) && !accepted.includes(name) && !isForeign(name, env[name] ?? ''))
    .sort()
    .flatMap((name) => {
      const meant = nearest(name.toUpperCase(), accepted);
      if (meant !== undefined) return [`${name} is not a known variable. Is ${meant} meant?`];
      return ownPrefix.test(name) ? [`${name} is not a known variable.`] : [];
    });
}

/**
 * The known name that differs by at most two letters. One letter for short names, because they resemble others (HOST,
 * HOME).
 */
function nearest(name: string, known: readonly string[]): string | undefined {
  const allowed = name.length < 6 ? 1 : 2;
  const ofLikeLength = known.filter((candidate) => Math.abs(candidate.length - name.length) <= allowed);
  const likely = ofLikeLength.length === 0 ? undefined : closest(name, ofLikeLength);
  return likely !== undefined && distance(name, likely) <= allowed ? likely : undefined;
}

/**
 * Variables of OpenTelemetry, proxy variables of command line tools (also in lower case), and variables that Kubernetes
 * sets in every pod for a Service, e.g. one named `database`.
 */
function isForeign(name: string, text: string): boolean {
  return (
    /^OTEL_|^HTTPS?_PROXY$/i.test(name) ||
    /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name) ||
    (name.endsWith('_PORT') && text.includes('://'))
  );
}
