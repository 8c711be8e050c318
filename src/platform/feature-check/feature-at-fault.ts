import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
// A default import, because a named import of `getCallSites` would stop an old Node before it is refused with a
// message.
import util from 'node:util';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiError, StartFault } from '../errors/index.js';
import { callingFile, fileOf, type Feature } from '../feature.js';
import { stackOf } from '../logging/index.js';
import { declareFeatures, nameOfEntity, type DeclaredFeature } from './declared-features.js';
import { injectionReason } from './injection-faults.js';

/** A failure of the start that comes from a feature. */
export class FeatureStartError extends Error {
  constructor(
    readonly feature: string,
    cause: unknown,
  ) {
    super(`feature '${feature}' failed to start: ${reasonOf(cause)}`, { cause });
    this.name = 'FeatureStartError';
    // Shows the stack of the cause, in which the feature's team finds its own line.
    this.stack = stackOf(this.message, cause);
  }
}

/** The message of an ApiError is meant for clients, and its cause says more. */
function reasonOf(cause: unknown): string {
  if (cause instanceof ApiError && cause.cause instanceof Error) return cause.cause.message;
  const { code } = ((cause as { driverError?: unknown } | undefined)?.driverError ?? {}) as { code?: unknown };
  if (code === 'DATABASE_NOT_ASKED') return 'The database is not ready yet; ask it in onModuleInit or later';
  return cause instanceof Error ? (injectionReason(cause) ?? cause.message) : String(cause);
}

/**
 * Awaits `starting`, and attributes its failure to a feature if possible.
 *
 * @throws {FeatureStartError | StartFault} (rejects) if the error came from a feature's code, or names one of its
 * classes.
 */
export async function attributeToFeature<T>(features: readonly Feature[], starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (error instanceof FeatureStartError || !(error instanceof Error)) throw error;
    const feature = ownerOfFiles(features)(filesIn(error.stack ?? '')) ?? (await ownerOfWords(error.message, features));
    if (feature === undefined) throw error;
    // The message of a StartFault is complete without a stack.
    if (error instanceof StartFault) throw new StartFault(`feature '${feature}' cannot start: ${error.message}`);
    throw new FeatureStartError(feature, error);
  }
}

/** The feature of the first class that a message names. */
async function ownerOfWords(message: string, features: readonly Feature[]): Promise<string | undefined> {
  const names = namesIn(await declareFeatures(features));
  // A name may begin or end with `$`, where `\b` does not match.
  const words = message.match(/[\p{ID_Continue}$]+/gu) ?? [];
  return words.map((word) => names.get(word)).find(Boolean);
}

/**
 * The number of stack frames to search. Between a log line and its caller are frames of pino, Nest and wrapping
 * libraries.
 */
const CALLS = 30;

/**
 * Returns a function that finds the feature of a log line outside of a request, for example of a job, a subscriber or a
 * middleware. It searches by the context of the `Logger`, if only one feature has a class of that name, and otherwise
 * by the files on the call stack.
 */
export function lineAttribution(features: readonly Feature[]): (context: unknown) => string | undefined {
  let names: ReadonlyMap<unknown, string | undefined> = new Map();
  const ownerOf = ownerOfFiles(features);
  // The check of the features reports a declaration that cannot be read.
  void declareFeatures(features).then(
    (declared) => (names = namesIn(declared)),
    () => undefined,
  );
  const callers = (): string[] =>
    util.getCallSites(CALLS, { sourceMap: false }).map(({ scriptName }) => pathOf(scriptName));
  return (context) => names.get(context) ?? ownerOf(callers());
}

/** The feature of each class name; undefined for a name that several features use. */
function namesIn(features: readonly DeclaredFeature[]): ReadonlyMap<unknown, string | undefined> {
  const names = new Map<unknown, string | undefined>();
  for (const { name, modules, entities } of features) {
    const made = modules.flatMap(({ type, controllers, providers }) => [
      type,
      ...controllers,
      ...providers.map((provider) => ('provide' in provider ? provider.provide : provider)),
    ]);
    const classes = made.flatMap((each) => (typeof each === 'function' ? [each.name] : []));
    for (const each of [...classes, ...entities.map(nameOfEntity)]) {
      names.set(each, names.has(each) && names.get(each) !== name ? undefined : name);
    }
  }
  // Imported by every feature with tables, so its name says nothing.
  names.delete(TypeOrmModule.name);
  return names;
}

/**
 * Returns a function that finds the feature of a list of files: the first file in a feature's file or folder decides.
 */
function ownerOfFiles(features: readonly Feature[]): (files: readonly string[]) => string | undefined {
  const places = placesOf(features);
  const ownerOf = (file: string) => places.find(({ start }) => file.startsWith(start))?.name;
  return (files) => files.map(ownerOf).find((owner) => owner !== undefined);
}

/** The file of this code. In the bundled program it is a chunk in the same folder as the features' chunks. */
const HERE = callingFile(0) ?? '';

/**
 * The file of each feature, and its folder, unless the platform or another feature shares that folder. The longest path
 * comes first, because a folder may lie in the folder of another feature.
 */
function placesOf(features: readonly Feature[]): { name: string; start: string }[] {
  const files = features.map((feature) => ({ name: feature.name, start: pathOf(fileOf(feature) ?? '') }));
  const platform = `${dirname(pathOf(HERE))}/`;
  const folders = Map.groupBy(files, ({ start }) => `${dirname(start)}/`);
  const own = [...folders].flatMap(([start, [first, ...others]]) =>
    first === undefined || others.length > 0 || start === platform ? [] : [{ name: first.name, start }],
  );
  return [...files, ...own].filter(({ start }) => start !== '').sort((a, b) => b.start.length - a.start.length);
}

function filesIn(stack: string): string[] {
  return [...stack.matchAll(/(?:\(|at |async )((?:file:\/\/)?\/[^()]+?):\d+:\d+\)?$/gm)].map(([, file = '']) =>
    pathOf(file),
  );
}

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}
