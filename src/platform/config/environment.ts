import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { StartFault } from '../errors/index.js';
import { readTextFile, UnusableFile } from './text-file.js';

/** One error in the environment. */
export interface Fault {
  /** The variable to change. */
  readonly name: string;
  /** Why it was refused. It never quotes a value, because a password may be in the wrong variable. */
  readonly reason: string;
}

/** The environment cannot be used. The error lists every fault, so that one start shows them all. */
export class ConfigError extends StartFault {
  /** EX_CONFIG of sysexits.h. */
  override readonly exitCode = 78;

  readonly faults: readonly Fault[];

  /** @param warnings probable mistakes that may explain a fault. Each is a sentence without values. */
  constructor(faults: readonly Fault[], warnings: readonly string[] = []) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    const lines = faults.map(({ name, reason }) => `  ${name}: ${reason}`);
    const remarks = warnings.map((warning) => `warning: ${warning}`);
    super([`The configuration has ${count}:`, ...lines, ...remarks].join('\n'));
    this.name = 'ConfigError';
    this.faults = Object.freeze([...faults]);
  }
}

/** The warnings about `.env`, by the environment that `loadEnvironment` returned. */
const remarks = new WeakMap<NodeJS.ProcessEnv, readonly string[]>();

/** Warnings about the ignored parts of the `.env` file. Each names the line and does not quote it. */
export function unreadLines(environment: NodeJS.ProcessEnv): readonly string[] {
  return remarks.get(environment) ?? [];
}

/**
 * Merges the environment of the process and the `.env` file. The process wins, for both forms of a name: if it sets
 * `NAME` (even to an empty text) or `NAME_FILE`, the file sets neither. `env` is not changed.
 *
 * @param cwd the folder of `.env`. A missing `.env` is no error.
 * @throws {ConfigError} if `.env` exists and cannot be read, or is not UTF-8.
 */
export function loadEnvironment(cwd: string = process.cwd(), env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { variables, warnings } = parseDotEnv(readDotEnv(join(cwd, '.env')));
  const added = [...variables].filter(([name]) => env[name] === undefined && env[otherForm(name)] === undefined);
  const environment = { ...Object.fromEntries(added), ...env };
  remarks.set(environment, warnings);
  return environment;
}

function otherForm(name: string): string {
  return name.endsWith(fileSuffix) ? name.slice(0, -fileSuffix.length) : name + fileSuffix;
}

function readDotEnv(path: string): string {
  try {
    return readTextFile(path);
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    if (error.code === 'ENOENT') return '';
    throw new ConfigError([{ name: '.env', reason: error.message }]);
  }
}

/** One line, with the further lines of a quoted value. `rest` is the text after the closing quote. */
const ENTRY = /^(?:[^#=\n]*=[ \t]*(?<quote>["'`])[^]*?\k<quote>(?<rest>.*)|.*)$/gm;

/**
 * Parses each assignment of a `.env` file on its own. Node's `parseEnv` ignores lines that it does not understand, and
 * reads the line after `NAME= ` as its value.
 */
function parseDotEnv(text: string): { variables: Map<string, string>; warnings: string[] } {
  const lines = text.replace(/\r\n?/g, '\n');
  const variables = new Map<string, string>();
  const warnings: string[] = [];
  for (const { 0: entry, index, groups } of lines.matchAll(ENTRY)) {
    if (/^\s*(#|$)/.test(entry)) continue;
    const [name, value] = Object.entries(parseEnv(entry))[0] ?? ['', ''];
    const isName = /^[A-Za-z_]\w*$/.test(name);
    if (isName) variables.set(name, value ?? '');
    const unread = isName ? unreadPart(entry, groups?.rest) : 'is not NAME=value and is ignored';
    if (unread !== undefined) warnings.push(`.env line ${lines.slice(0, index).split('\n').length} ${unread}.`);
  }
  return { variables, warnings };
}

/** Describes a part of an assignment that is ignored, although it may have been meant as a part of the value. */
function unreadPart(entry: string, rest: string | undefined): string | undefined {
  if (rest !== undefined) return /^\s*(#|$)/.test(rest) ? undefined : 'has text behind its quotes, which is ignored';
  if (/=\s*["'`]/.test(entry)) return 'has a quote that does not end';
  return /[^\s=]#/.test(entry) ? 'has a value with #, which ends it; put the value in quotes' : undefined;
}

/** A variable that the environment sets. An empty text counts as unset. */
export interface GivenValue {
  readonly text: string;
  /** The file that the value was read from, if any. */
  readonly file: string | undefined;
}

/** The given values by the names of their variables. */
export type GivenValues = ReadonlyMap<string, GivenValue>;

/**
 * The first fault of each variable, by the name of the variable. The fault itself names `NAME_FILE` if that one is
 * wrong.
 */
export type Faults = Map<string, Fault>;

/** `NAME_FILE` is the path of a file with the value of `NAME`. Clusters mount secrets as files. */
export const fileSuffix = '_FILE';

/** Reads each variable from the environment, or from the file in `NAME_FILE`. Both at once are a fault. */
export function collectGiven(env: NodeJS.ProcessEnv, names: Iterable<string>, faults: Faults): GivenValues {
  const values = new Map<string, GivenValue>();
  for (const name of names) {
    const text = env[name] ?? '';
    const file = env[name + fileSuffix] ?? '';
    if (text !== '' && file !== '') {
      faults.set(name, { name, reason: `is given twice: also as ${name}${fileSuffix}` });
    } else if (text !== '') {
      values.set(name, { text, file: undefined });
    } else if (file !== '') {
      const read = readValueFile(name, file);
      if ('reason' in read) faults.set(name, read);
      else values.set(name, { text: read.text, file });
    }
  }
  return values;
}

/** The content of a file without one trailing newline, or a fault if it cannot be read or is empty. */
export function readValueFile(name: string, path: string): { readonly text: string } | Fault {
  try {
    const text = readTextFile(path).replace(/\r?\n$/, '');
    // An empty file is a secret that is not written yet. It does not mean unset.
    if (text === '') throw new UnusableFile('is empty');
    return { text };
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    return { name: name + fileSuffix, reason: `names a file that ${error.message}${quotePath(path)}` };
  }
}

/** Only a text that looks like a path is quoted: the variable may hold the secret itself by mistake. */
function quotePath(path: string): string {
  return /^\.{0,2}\/[\w./-]{1,254}$/.test(path) ? `: ${path}` : '';
}
