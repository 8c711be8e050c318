import util from 'node:util';

/**
 * The file, a path or a file: URL, that the code `steps` calls above the caller is in. In the bundled program it is a
 * chunk, where `import.meta.url` is the place that the module has in `dist`.
 *
 * @returns undefined on an old Node, which has no such function: a program on it makes way for a newer one, but only
 *   after all of its modules are there.
 */
export function callingFile(steps: number): string | undefined {
  const { getCallSites } = util as Partial<Pick<typeof util, 'getCallSites'>>;
  return getCallSites?.(steps + 2)[steps + 1]?.scriptName;
}
