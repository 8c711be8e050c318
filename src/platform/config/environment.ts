import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ConfigError } from './config-error.js';
import { fileSuffix } from './given-values.js';

/**
 * The environment of the process, and what a `.env` file adds to it. The process wins, in both forms of a name: where
 * it sets `NAME` (even to nothing) or `NAME_FILE`, the file sets neither. The process's own environment stays as it is.
 *
 * @param cwd the folder in which `.env` is looked for; none there is no fault.
 * @throws {ConfigError} when `.env` is there and cannot be read.
 */
export function loadEnvironment(cwd: string = process.cwd(), env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const added = Object.entries(readDotEnv(join(cwd, '.env'))).filter(
    ([name]) => env[name] === undefined && env[otherForm(name)] === undefined,
  );
  return { ...Object.fromEntries(added), ...env };
}

function otherForm(name: string): string {
  return name.endsWith(fileSuffix) ? name.slice(0, -fileSuffix.length) : name + fileSuffix;
}

function readDotEnv(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new ConfigError([{ name: '.env', reason: `cannot be read (${code})` }]);
  }
}
