import type { Fault } from './config-error.js';
import { readTextFile, UnusableFile } from './text-file.js';

/** One variable that the environment sets. Empty is unset. */
export interface GivenValue {
  readonly text: string;
  /** The file that it was read from, if it was. */
  readonly file: string | undefined;
}

export interface GivenValues {
  readonly values: ReadonlyMap<string, GivenValue>;
  readonly faults: readonly Fault[];
}

/** `NAME_FILE` names a file that holds the value of `NAME`, as clusters mount secrets. */
export const fileSuffix = '_FILE';

/** Takes each name from the environment, or from the file that `NAME_FILE` names. Both at once are a fault. */
export function collectGiven(env: NodeJS.ProcessEnv, names: Iterable<string>): GivenValues {
  const values = new Map<string, GivenValue>();
  const faults: Fault[] = [];
  for (const name of names) {
    const text = env[name] ?? '';
    const file = env[name + fileSuffix] ?? '';
    if (text !== '' && file !== '') {
      faults.push({ name, reason: `is given twice: also as ${name}${fileSuffix}` });
    } else if (text !== '') {
      values.set(name, { text, file: undefined });
    } else if (file !== '') {
      const read = readValueFile(name, file);
      if ('reason' in read) faults.push(read);
      else values.set(name, { text: read.text, file });
    }
  }
  return { values, faults };
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
