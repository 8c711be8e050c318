import type { Setting } from './config.js';

/** Every OTEL_ variable that is set, as given: OpenTelemetry defines and reads them. */
export function openTelemetryVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, text]) => (name.startsWith('OTEL_') && text ? [[name, text]] : [])),
  );
}

/**
 * The same for a person to read: headers and the user part of a URL may hold secrets.
 *
 * @param listed the variables that are shown already.
 */
export function openTelemetrySettings(otel: Readonly<Record<string, string>>, listed: readonly string[]): Setting[] {
  return Object.entries(otel)
    .filter(([name]) => !listed.includes(name))
    .map(([name, text]) => ({
      name,
      value: /HEADERS|KEY|PASSWORD|SECRET|TOKEN/.test(name) ? '***' : text.replace(/\/\/[^/]*@/g, '//***@'),
      source: 'environment',
    }));
}
