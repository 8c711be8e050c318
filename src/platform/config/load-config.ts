import { customCleanEnv, EnvMissingError, type CleanedEnv, type ReporterOptions } from 'envalid';
import { groupValues, type Config, type Setting } from './config.js';
import {
  collectGiven,
  ConfigError,
  fileSuffix,
  unreadLines,
  type Fault,
  type Faults,
  type GivenValues,
} from './environment.js';
import type { Configured, ConfigVariables } from './feature-config.js';
import {
  openTelemetryFaults,
  openTelemetryNames,
  openTelemetrySettings,
  openTelemetryVariables,
  operationOf,
  sunsetVariables,
  warnOfUnknown,
} from './undeclared-variables.js';
import { parserOf } from './value-kinds.js';
import { variables, type Values, type VariableName } from './variables.js';

/**
 * Reads the whole configuration from an environment.
 *
 * @param onTerminal whether standard output is a terminal. It decides the default of LOG_FORMAT.
 * @param features their variables are read too, unless FEATURES_OFF names the feature.
 * @throws {ConfigError} with the first fault of every wrong variable, in the order of the documentation, and the
 *   warnings.
 */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  onTerminal = process.stdout.isTTY,
  features: readonly Configured[] = [],
): Config {
  const sunsets = sunsetVariables(env);
  const declared = [variables, sunsets, ...features.map(({ config }) => config?.variables ?? {})];
  const names = declared.flatMap((specs) => Object.keys(specs));
  const everyName = new Set([...names, ...openTelemetryNames(env)]);
  const faults: Faults = new Map();
  const given = collectGiven(env, everyName, faults);

  const read = readValues(given, variables, faults);
  const dates: Readonly<Record<string, Date | undefined>> = readValues(given, sunsets, faults);
  const configs = features.flatMap(({ name, config }) => (config && !read.FEATURES_OFF?.includes(name) ? config : []));
  const featureValues = new Map(configs.map(({ KEY, variables: own }) => [KEY, readValues(given, own, faults)]));
  const otel = openTelemetryVariables(given);
  for (const fault of [...(read.OTEL_SDK_DISABLED ? [] : openTelemetryFaults(otel)), ...crossFaults(read, faults)]) {
    faults.set(fault.name, fault);
  }
  const warnings = [...unreadLines(env), ...warnOfUnknown(env, names)];
  throwAny(faults, everyName, warnings);

  const values = { ...read, LOG_FORMAT: read.LOG_FORMAT ?? (onTerminal ? 'pretty' : 'json') } as const;
  return freeze({
    ...groupValues(values, given.get('DATABASE_URL')?.file),
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
    otel: { disabled: values.OTEL_SDK_DISABLED, variables: otel },
    sunsets: new Map(
      Object.entries(dates).flatMap(([name, date]) => (date ? [[operationOf(name), date] as const] : [])),
    ),
    featureValues,
    settings: [
      ...settingsOf(variables, values, given),
      ...settingsOf(sunsets, dates, given),
      ...configs.flatMap(({ KEY, variables: own }) => settingsOf(own, featureValues.get(KEY) ?? {}, given)),
      ...openTelemetrySettings(given, names),
    ],
    warnings,
  });
}

/**
 * Reads one variable, for code that needs no other configuration.
 *
 * @throws {ConfigError} for an invalid value.
 */
export function readVariable<Name extends 'NODE_ENV' | 'LOG_FORMAT'>(env: NodeJS.ProcessEnv, name: Name): Values[Name] {
  const faults: Faults = new Map();
  const read = readValues(collectGiven(env, [name], faults), variables, faults);
  throwAny(faults, [name]);
  return read[name];
}

/**
 * Validates the given values and adds the defaults. An invalid value is undefined in the result, although its type says
 * otherwise: use no value before `faults` is known to be empty.
 */
function readValues<S extends ConfigVariables>(given: GivenValues, specs: S, faults: Faults): Readonly<CleanedEnv<S>> {
  const texts = new Map([...given].map(([name, { text }]) => [name, text]));
  // envalid uses `devDefault` only if NODE_ENV is set.
  if (!texts.has('NODE_ENV')) texts.set('NODE_ENV', 'development');
  const reporter = ({ errors }: ReporterOptions<S>): void => {
    for (const [name, error] of Object.entries<Error | undefined>(errors)) {
      if (error && !faults.has(name)) faults.set(name, { name, reason: reasonOf(name, error, given) });
    }
  };
  return customCleanEnv(Object.fromEntries(texts), specs, (cleaned) => cleaned, { reporter });
}

function reasonOf(name: string, error: Error, given: GivenValues): string {
  // The required variables of the platform have a default outside production (variables.ts).
  if (error instanceof EnvMissingError) return 'is required in production';
  return given.get(name)?.file === undefined ? error.message : `${error.message} (read from ${name}${fileSuffix})`;
}

/** @throws {ConfigError} if one of these variables has a fault, with the faults in this order. */
function throwAny(faults: Faults, names: Iterable<string>, warnings?: readonly string[]): void {
  const found = [...names].flatMap((name) => faults.get(name) ?? []);
  if (found.length > 0) throw new ConfigError(found, warnings);
}

interface CrossCheck {
  /** The fault is reported for the first one. */
  readonly names: readonly [VariableName, ...VariableName[]];
  readonly holds: (values: Values) => boolean;
  readonly reason: string;
}

const crossChecks: readonly CrossCheck[] = [
  {
    names: ['MANAGEMENT_PORT', 'PORT'],
    holds: (values) => values.MANAGEMENT_PORT === 0 || values.MANAGEMENT_PORT !== values.PORT,
    reason: 'must differ from PORT',
  },
  {
    names: ['REQUEST_DEADLINE_MS', 'DATABASE_ACQUIRE_TIMEOUT_MS', 'DATABASE_QUERY_TIMEOUT_MS'],
    holds: (values) =>
      values.REQUEST_DEADLINE_MS >= values.DATABASE_ACQUIRE_TIMEOUT_MS + values.DATABASE_QUERY_TIMEOUT_MS,
    reason: 'must be at least DATABASE_ACQUIRE_TIMEOUT_MS plus DATABASE_QUERY_TIMEOUT_MS',
  },
  {
    // Node.js refuses to create a server that violates this.
    names: ['HTTP_HEADERS_TIMEOUT_MS', 'HTTP_REQUEST_TIMEOUT_MS'],
    holds: (values) => values.HTTP_HEADERS_TIMEOUT_MS <= values.HTTP_REQUEST_TIMEOUT_MS,
    reason: 'must be at most HTTP_REQUEST_TIMEOUT_MS',
  },
  {
    names: ['DATABASE_TLS_KEY_FILE', 'DATABASE_TLS_CERT_FILE'],
    holds: (values) => (values.DATABASE_TLS_KEY_FILE === undefined) === (values.DATABASE_TLS_CERT_FILE === undefined),
    reason: 'and DATABASE_TLS_CERT_FILE must be given together',
  },
];

/** Faults of combinations of valid variables. Checks that involve an invalid variable are skipped. */
function crossFaults(values: Values, faults: Faults): Fault[] {
  return crossChecks
    .filter(({ names, holds }) => !names.some((name) => faults.has(name)) && !holds(values))
    .map(({ names, reason }) => ({ name: names[0], reason }));
}

/** Every variable of `specs` with its effective value as text, secrets masked, and its source. */
function settingsOf(specs: ConfigVariables, values: Readonly<Record<string, unknown>>, given: GivenValues): Setting[] {
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

/** Freezes plain objects and arrays, with everything in them. */
function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  }
  return Object.freeze(value);
}
