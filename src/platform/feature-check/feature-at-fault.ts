import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
// Imported as a whole: an old Node lacks a part of it, and is refused later with a message.
import util from 'node:util';
import { ApiError, StartFault } from '../errors/index.js';
import { callingFile, fileOf, type Feature } from '../feature.js';
import { stackOf } from '../logging/index.js';
import { declareFeatures, nameOfEntity, type DeclaredFeature } from './declared-features.js';
import { injectionReason } from './injection-faults.js';

/** What stopped the start, attributed to the feature that it came from. */
export class FeatureStartError extends Error {
  constructor(
    readonly feature: string,
    cause: unknown,
  ) {
    super(`feature '${feature}' failed to start: ${reasonOf(cause)}`, { cause });
    this.name = 'FeatureStartError';
    // The feature's team looks for the line of its own, and for no other.
    this.stack = stackOf(this.message, cause);
  }
}

/** The message for a client says less than its cause. */
function reasonOf(cause: unknown): string {
  if (cause instanceof ApiError && cause.cause instanceof Error) return cause.cause.message;
  const { code } = ((cause as { driverError?: unknown } | undefined)?.driverError ?? {}) as { code?: unknown };
  if (code === 'DATABASE_NOT_ASKED') return 'The database is not ready yet; ask it in onModuleInit or later';
  return cause instanceof Error ? (injectionReason(cause) ?? cause.message) : String(cause);
}

/**
 * What `starting` comes to.
 *
 * @throws {FeatureStartError | StartFault} (rejects) for what came out of a feature's code, or names one of its classes.
 */
export async function attributeToFeature<T>(features: readonly Feature[], starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (error instanceof FeatureStartError || !(error instanceof Error)) throw error;
    const names = namesIn(await declareFeatures(features));
    // A `$` may begin a name or end it, where `\b` sees no edge.
    const words = error.message.match(/[\p{ID_Continue}$]+/gu) ?? [];
    const feature =
      ownerOfFiles(features)(filesIn(error.stack ?? '')) ?? words.map((word) => names.get(word)).find(Boolean);
    if (feature === undefined) throw error;
    // It says all that there is to say.
    if (error instanceof StartFault) throw new StartFault(`feature '${feature}' cannot start: ${error.message}`);
    throw new FeatureStartError(feature, error);
  }
}

/** Calls between a line of the log and the code that wrote it: pino's, Nest's, and those of a library around it. */
const CALLS = 30;

/**
 * Finds the feature that writes a line of the log outside of a request, as a job, a subscriber or a middleware does: by
 * the name that its `Logger` was made with, where one feature alone has such a class, else by the file that it is in.
 */
export function lineAttribution(features: readonly Feature[]): (context: unknown) => string | undefined {
  let names: ReadonlyMap<unknown, string | undefined> = new Map();
  const ownerOf = ownerOfFiles(features);
  void declareFeatures(features).then((declared) => (names = namesIn(declared)));
  const callers = (): string[] =>
    util.getCallSites(CALLS, { sourceMap: false }).map(({ scriptName }) => pathOf(scriptName));
  return (context) => names.get(context) ?? ownerOf(callers());
}

/** The names of the features' classes; undefined for one that several have. */
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
  return names;
}

/** Finds the feature in whose file, else in whose folder, the first of some files lies that lies in any. */
function ownerOfFiles(features: readonly Feature[]): (files: readonly string[]) => string | undefined {
  const places = placesOf(features);
  const ownerOf = (file: string) => places.find(({ start }) => file.startsWith(start))?.name;
  return (files) => files.map(ownerOf).find((owner) => owner !== undefined);
}

/** The file that this code runs from, which in the bundled program is a chunk beside those of the features. */
const HERE = callingFile(0) ?? '';

/** What a path of each feature's begins with, the longest first: a folder may lie in another's, or be that of several. */
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
