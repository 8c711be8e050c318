import type { Config } from './config.js';
import { crossCheck } from './cross-checks.js';
import { unreadLines } from './environment.js';
import { featureNames, featureSettings, readFeatures, type Configured } from './feature-config.js';
import { FaultList } from './fault-list.js';
import { collectGiven } from './given-values.js';
import { groupValues } from './group-values.js';
import {
  openTelemetryFaults,
  openTelemetryNames,
  openTelemetrySettings,
  openTelemetryVariables,
} from './open-telemetry.js';
import { readValues } from './read-values.js';
import { settingsOf } from './settings.js';
import { operationOf, sunsetVariables } from './sunsets.js';
import { warnOfUnknown } from './unknown-variables.js';
import { variables } from './variables.js';

/**
 * Reads the whole configuration out of an environment.
 *
 * @param features whose variables are read too, unless they are off.
 * @param onTerminal whether a person reads the log as it is written; decides LOG_FORMAT where that is unset.
 * @throws {ConfigError} with the fault of every faulty variable, in the order of the documentation, and the warnings.
 */
export function loadConfig(
  env: NodeJS.ProcessEnv,
  onTerminal = process.stdout.isTTY,
  features: readonly Configured[] = [],
): Config {
  const sunsets = sunsetVariables(env);
  const names = [...Object.keys({ ...variables, ...sunsets }), ...featureNames(features)];
  const everyName = new Set([...names, ...openTelemetryNames(env)]);
  const { values: given, faults: unread } = collectGiven(env, everyName);

  const faults = new FaultList([...everyName]);
  faults.add(unread);
  const read = readValues(given, variables, faults);
  const dates = readValues(given, sunsets, faults);
  const featureValues = readFeatures(given, features, read.FEATURES_OFF ?? [], faults);
  const otel = openTelemetryVariables(given);
  if (!read.OTEL_SDK_DISABLED) faults.add(openTelemetryFaults(otel));
  faults.add(crossCheck(read, (name) => faults.has(name)));
  const warnings = [...unreadLines(env), ...warnOfUnknown(env, names)];
  faults.throwIfAny(warnings);

  const values = { ...read, LOG_FORMAT: read.LOG_FORMAT ?? (onTerminal ? 'pretty' : 'json') } as const;
  const groups = groupValues(values);
  return freeze({
    ...groups,
    database: { ...groups.database, urlFile: given.get('DATABASE_URL')?.file },
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
    otel: { disabled: values.OTEL_SDK_DISABLED, variables: otel },
    sunsets: datesByOperation(dates),
    featureValues,
    settings: [
      ...settingsOf(variables, values, given),
      ...settingsOf(sunsets, dates, given),
      ...featureSettings(features, featureValues, given),
      ...openTelemetrySettings(given, names),
    ],
    warnings,
  });
}

/**
 * NODE_ENV alone, for what needs nothing else of the configuration.
 *
 * @throws {ConfigError} for one that is none.
 */
export function readNodeEnv(env: NodeJS.ProcessEnv): Config['env'] {
  const { NODE_ENV } = variables;
  const { values: given, faults: unread } = collectGiven(env, ['NODE_ENV']);
  const faults = new FaultList(['NODE_ENV']);
  faults.add(unread);
  const read = readValues(given, { NODE_ENV }, faults);
  faults.throwIfAny([]);
  return read.NODE_ENV;
}

function datesByOperation(dates: Readonly<Record<string, Date | undefined>>): Map<string, Date> {
  return new Map(Object.entries(dates).flatMap(([name, date]) => (date ? [[operationOf(name), date] as const] : [])));
}

/** Freezes plain objects and arrays all the way down. */
function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner)) freeze(inner);
  }
  return Object.freeze(value);
}
