import type { Config } from './config.js';

/**
 * Every setting of a configuration, its effective value with secrets masked, and where that came from, one a line.
 *
 * @param fromDotEnv the variables that a `.env` file set, to tell them from those of the process.
 */
export function describeConfig(config: Pick<Config, 'settings'>, fromDotEnv: ReadonlySet<string> = new Set()): string {
  const rows = config.settings.map(({ name, value, source }) => {
    // A line break in a value would make a line that looks like a setting of its own.
    const shown = value === '' ? '(unset)' : value.replace(/\p{Cc}/gu, '\u{FFFD}');
    return [name, shown, source === 'environment' && fromDotEnv.has(name) ? '.env' : source] as const;
  });
  const nameWidth = Math.max(...rows.map(([name]) => name.length));
  const valueWidth = Math.max(...rows.map(([, value]) => value.length));
  return rows
    .map(([name, value, source]) => `${name.padEnd(nameWidth)}  ${value.padEnd(valueWidth)}  ${source}\n`)
    .join('');
}
