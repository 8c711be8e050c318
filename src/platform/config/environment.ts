import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { StartFault } from '../errors/index.js';
import { readTextFile, UnusableFile } from './text-file.js';

/** One thing that is wrong with the environment. */
export interface Fault {
  /** The variable to change. */
  readonly name: string;
  /** Why it was refused. Never holds a value: a password may stand in the wrong variable. */
  readonly reason: string;
}

/** The environment cannot be used. Holds every fault, so that one start is enough to see them all. */
export class ConfigError extends StartFault {
  /** EX_CONFIG of sysexits.h. */
  override readonly exitCode = 78;

  readonly faults: readonly Fault[];

  /** @param warnings what looks like a mistake and may be the reason of a fault, each a sentence without values. */
  constructor(faults: readonly Fault[], warnings: readonly string[] = []) {
    const count = faults.length === 1 ? 'one fault' : `${faults.length} faults`;
    const lines = faults.map(({ name, reason }) => `  ${name}: ${reason}`);
    const remarks = warnings.map((warning) => `warning: ${warning}`);
    super([`The configuration has ${count}:`, ...lines, ...remarks].join('\n'));
    this.name = 'ConfigError';
    this.faults = Object.freeze([...faults]);
  }
}

/** The warnings about `.env`, by the environment that was made with it. */
const remarks = new WeakMap<NodeJS.ProcessEnv, readonly string[]>();

/** The parts of the `.env` file that are ignored: sentences that name the line, and do not quote it. */
export function unreadLines(environment: NodeJS.ProcessEnv): readonly string[] {
  return remarks.get(environment) ?? [];
}

/**
 * The environment of the process, and what a `.env` file adds to it. The process wins, in both forms of a name: where
 * it sets `NAME` (even to nothing) or `NAME_FILE`, the file sets neither. The process's own environment stays as it is.
 *
 * @param cwd the folder in which `.env` is looked for; none there is no fault.
 * @throws {ConfigError} when `.env` is there and cannot be read, or is not UTF-8.
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

/** A line, and those after it that its quoted value goes on in; `rest` is what stands behind the quotes. */
const ENTRY = /^(?:[^#=\n]*=[ \t]*(?<quote>["'`])[^]*?\k<quote>(?<rest>.*)|.*)$/gm;

/**
 * The assignments of a `.env` file. Each is read by itself: `parseEnv` would pass over lines that it does not
 * understand, and take the line after `NAME= ` for its value.
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

/** Says which text of an assignment is ignored, although it may have been meant as a part of the value. */
function unreadPart(entry: string, rest: string | undefined): string | undefined {
  if (rest !== undefined) return /^\s*(#|$)/.test(rest) ? undefined : 'has text behind its quotes, which is ignored';
  if (/=\s*["'`]/.test(entry)) return 'has a quote that does not end';
  return /[^\s=]#/.test(entry) ? 'has a value with #, which ends it; put the value in quotes' : undefined;
}

/** One variable that the environment sets. Empty is unset. */
export interface GivenValue {
  readonly text: string;
  /** The file that it was read from, if it was. */
  readonly file: string | undefined;
}

/** By the variable's name. */
export type GivenValues = ReadonlyMap<string, GivenValue>;

/** The first fault of each variable, by its name; that of the fault is `NAME_FILE` where the fault is in that. */
export type Faults = Map<string, Fault>;

/** `NAME_FILE` names a file that holds the value of `NAME`, as clusters mount secrets. */
export const fileSuffix = '_FILE';

/** Takes each name from the environment, or from the file that `NAME_FILE` names. Both at once are a fault. */
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

/** The value in a file, one trailing newline trimmed, or the fault that there is none. */
export function readValueFile(name: string, path: string): { readonly text: string } | Fault {
  try {
    const text = readTextFile(path).replace(/\r?\n$/, '');
    // A secret that is not written yet, and not one that is meant to be unset.
    if (text === '') throw new UnusableFile('is empty');
    return { text };
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    return { name: name + fileSuffix, reason: `names a file that ${error.message}${quotePath(path)}` };
  }
}

/** Only what looks like a path is repeated: someone may have put the secret itself where its path belongs. */
function quotePath(path: string): string {
  return /^\.{0,2}\/[\w./-]{1,254}$/.test(path) ? `: ${path}` : '';
}
