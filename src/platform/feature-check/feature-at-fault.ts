import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callingFile, fileOf, type Feature } from '../feature.js';
import { ApiError } from '../errors/index.js';
import { stackOf } from '../logging/index.js';
import { StartFault } from '../start-fault.js';
import { declareFeatures, type DeclaredFeature, nameOfEntity } from './declared-features.js';
import { injectionReason } from './injection-reason.js';

/** The file that this code runs from, which in the bundled program is a chunk beside those of the features. */
const HERE = callingFile(0) ?? '';

/** What stopped the start, charged to the feature that it came from. */
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

/** What a client would be told of a fault says less than what lies beneath it. */
function reasonOf(cause: unknown): string {
  if (cause instanceof ApiError && cause.cause instanceof Error) return cause.cause.message;
  return injectionReason(cause) ?? (cause instanceof Error ? cause.message : String(cause));
}

/**
 * What `starting` comes to.
 *
 * @throws {FeatureStartError | StartFault} (rejects) for what came out of a feature's code, or is said of one of its classes.
 */
export async function attributeToFeature<T>(features: readonly Feature[], starting: Promise<T>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    if (error instanceof FeatureStartError) throw error;
    const feature = await featureAtFault(error, features);
    if (feature === undefined) throw error;
    // It says all that there is to say.
    if (error instanceof StartFault) throw new StartFault(`feature '${feature}' cannot start: ${error.message}`);
    throw new FeatureStartError(feature, error);
  }
}

/**
 * The feature whose code an error came out of: the one whose file, else whose folder, the first frame of its stack lies
 * in that lies in any; else one of whose classes the error speaks, as Nest does of a dependency that it cannot find, and TypeORM of an entity.
 */
async function featureAtFault(error: unknown, features: readonly Feature[]): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined;
  const inside = featureOfFiles(features)(filesIn(error.stack ?? ''));
  if (inside !== undefined) return inside;
  const declared = await declareFeatures(features);
  return declared.find((feature) => classesOf(feature).some((name) => new RegExp(`\\b${name}\\b`).test(error.message)))
    ?.name;
}

/** Finds the feature in whose file, else in whose folder, the first of some files lies that lies in any. */
export function featureOfFiles(features: readonly Feature[]): (files: readonly string[]) => string | undefined {
  const places = placesOf(features);
  const ownerOf = (file: string) => places.find(({ start }) => file.startsWith(start))?.name;
  return (files) => files.map(ownerOf).find((owner) => owner !== undefined);
}

/** What a path of each feature's begins with, the longest first: a folder may lie in another's, or be that of several. */
function placesOf(features: readonly Feature[]): { name: string; start: string }[] {
  const files = features.map((feature) => ({ name: feature.name, file: pathOf(fileOf(feature) ?? '') }));
  const platform = `${dirname(pathOf(HERE))}/`;
  const folders = Map.groupBy(files, ({ file }) => `${dirname(file)}/`);
  const own = [...folders].flatMap(([start, [first, ...others]]) =>
    first === undefined || others.length > 0 || start === platform ? [] : [{ name: first.name, start }],
  );
  const places = [...files.map(({ name, file }) => ({ name, start: file })), ...own];
  return places.filter(({ start }) => start !== '').sort((a, b) => b.start.length - a.start.length);
}

function filesIn(stack: string): string[] {
  return [...stack.matchAll(/(?:\(|at |async )((?:file:\/\/)?\/[^()]+?):\d+:\d+\)?$/gm)].map(([, file = '']) =>
    pathOf(file),
  );
}

export function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

function classesOf({ module, modules, entities }: DeclaredFeature): string[] {
  const providers = modules.flatMap(({ providers }) => providers.filter((provider) => typeof provider === 'function'));
  return [module, ...modules.flatMap(({ controllers }) => controllers), ...providers]
    .map(({ name }) => name)
    .concat(entities.map(nameOfEntity));
}
