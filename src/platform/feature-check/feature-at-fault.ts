import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { callingFile, fileOf, type Feature } from '../feature.js';
import { ApiError, StartFault } from '../errors/index.js';
import { stackOf } from '../logging/index.js';
import { MissingPrimaryColumnError } from 'typeorm';
import { declareFeatures, type DeclaredFeature, nameOfEntity } from './declared-features.js';
import { injectionReason } from './injection-faults.js';
// Imported as a whole: an old Node lacks a part of it, and is refused later with a message.
import util from 'node:util';

/** The file that this code runs from, which in the bundled program is a chunk beside those of the features. */
const HERE = callingFile(0) ?? '';

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
  if (cause instanceof MissingPrimaryColumnError) return missingPrimaryColumn(cause);
  return injectionReason(cause) ?? (cause instanceof Error ? cause.message : String(cause));
}

/** TypeORM says which entity it is in its message alone. */
function missingPrimaryColumn({ message }: MissingPrimaryColumnError): string {
  const entity = /"(.+)"/.exec(message)?.[1] ?? 'An entity';
  return `${entity} has no primary column; give it one by @PrimaryGeneratedColumn() or @PrimaryColumn()`;
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
 * The feature that an error came out of: the first frame of its stack that lies in the file, else in the folder, of a feature
 * decides; else the feature one of whose classes the message names.
 */
async function featureAtFault(error: unknown, features: readonly Feature[]): Promise<string | undefined> {
  if (!(error instanceof Error)) return undefined;
  const inside = featureOfFiles(features)(filesIn(error.stack ?? ''));
  if (inside !== undefined) return inside;
  const declared = await declareFeatures(features);
  // A `$` may begin a name or end it, where `\b` sees no edge.
  const words = new Set(error.message.match(/[\p{ID_Continue}$]+/gu));
  return declared.find((feature) => classesOf(feature).some((name) => words.has(name)))?.name;
}

/** Finds the feature in whose file, else in whose folder, the first of some files lies that lies in any. */
function featureOfFiles(features: readonly Feature[]): (files: readonly string[]) => string | undefined {
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

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}

function classesOf({ module, modules, entities }: DeclaredFeature): string[] {
  const providers = modules.flatMap(({ providers }) => providers.filter((provider) => typeof provider === 'function'));
  return [module, ...modules.flatMap(({ controllers }) => controllers), ...providers]
    .map(({ name }) => name)
    .concat(entities.map(nameOfEntity));
}

/** Calls between a line of the log and the code that wrote it: pino's, Nest's, and those of a library around it. */
const CALLS = 30;

/**
 * Finds the feature that writes a line of the log outside of a request, as a job, a subscriber or a middleware does: by
 * the name that its `Logger` was made with, where one feature alone has such a class, else by the file that it is in.
 */
export function lineAttribution(features: readonly Feature[]): (context: unknown) => string | undefined {
  const names = new Map<unknown, string | undefined>();
  const ownerOf = featureOfFiles(features);
  // A module that cannot be read is reported when the features are checked.
  void declareFeatures(features).then(
    (declared) => declared.forEach((feature) => addNames(names, feature)),
    () => undefined,
  );
  return (context) => names.get(context) ?? ownerOf(filesHere());
}

function addNames(names: Map<unknown, string | undefined>, { name, modules }: DeclaredFeature): void {
  for (const { type, controllers, providers } of modules) {
    const classes = providers.map((provider) => ('provide' in provider ? provider.provide : provider));
    for (const made of [type, ...controllers, ...classes]) {
      if (typeof made !== 'function') continue;
      const owner = names.get(made.name);
      names.set(made.name, names.has(made.name) && owner !== name ? undefined : name);
    }
  }
}

function filesHere(): string[] {
  return util.getCallSites(CALLS, { sourceMap: false }).map(({ scriptName }) => pathOf(scriptName));
}
