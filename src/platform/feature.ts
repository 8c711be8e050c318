import type { Type } from '@nestjs/common';
import type { EntitySchema, MigrationInterface } from 'typeorm';
import type { FeatureConfig } from './config/index.js';
import type { ErrorCode } from './errors/index.js';
import util from 'node:util';

/** A migration class of TypeORM; its name ends in the 13 digits of its timestamp. */
export type Migration = new () => MigrationInterface;

/** Entities of TypeORM. */
export type Entities = readonly (Type | EntitySchema)[];

/** One feature: what the business is, and nothing of the platform. */
export interface Feature {
  /** Lower kebab case; its metrics, logs and documents carry it. */
  readonly name: string;
  /** The semver range of platform versions that it was built for, checked at start. */
  readonly platform: string;
  /** An ordinary Nest module. The feature's entities are those that it registers: `TypeOrmModule.forFeature([…])`. */
  readonly module: Type;
  readonly migrations?: readonly Migration[];
  /**
   * What the service's login may do with a table, as GRANT says it; SELECT, INSERT, UPDATE, DELETE where a table is left
   * out. The command `grants` prints it.
   */
  readonly privileges?: Readonly<Record<string, string>>;
  /** Scopes by name, with what each allows: `{ 'pets:read': 'List and fetch pets' }`. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** The error codes of its own that it raises. */
  readonly errors?: readonly ErrorCode[];
  /** The variables of its own, made by `defineConfig`. */
  readonly config?: FeatureConfig;
  /** What the command `seed` fills its table with. */
  readonly samples?: Samples;
}

/** Made-up records of one table. */
export interface Samples {
  readonly table: string;
  readonly columns: readonly string[];
  /** The values of the nth record, from 0 on, as many as columns; the same at every run. */
  readonly row: (n: number) => readonly (string | bigint | number | null)[];
}

/** Lower kebab case, such as `pet-toys`: what a feature is called. */
export function isKebabCase(text: string): boolean {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text);
}

/** Features by their modules, with the files that declare them. */
const declarations = new WeakMap<Type, { readonly feature: Feature; readonly file: string | undefined }>();

/** Declares a feature. Nothing is checked here: all violations of all features are listed together at start. */
export function defineFeature(feature: Feature): Feature {
  const file = callingFile(1);
  // A feature without a module is reported with all other violations.
  if (typeof feature.module === 'function') declarations.set(feature.module, { feature, file });
  return Object.freeze(feature);
}

/** The file that declares a feature, a path or a file: URL; undefined for one that did not go through `defineFeature`. */
export function fileOf({ module }: Pick<Feature, 'module'>): string | undefined {
  return declarations.get(module)?.file;
}

/** The feature that a module is the module of, whether it is started or not. */
export function ownerOf(module: Type): Feature | undefined {
  return declarations.get(module)?.feature;
}

/**
 * The file, a path or a file: URL, that the code `steps` calls above the caller is in. In the bundled program it is a
 * chunk, where `import.meta.url` is the place that the module has in `dist`.
 *
 * @returns undefined on an old Node, which has no such function: a program on it starts a newer one in its place, but
 *   only after all of its modules are loaded.
 */
export function callingFile(steps: number): string | undefined {
  const { getCallSites } = util as Partial<Pick<typeof util, 'getCallSites'>>;
  return getCallSites?.(steps + 2)[steps + 1]?.scriptName;
}
