import type { Type } from '@nestjs/common';
import type { EntitySchema, MigrationInterface } from 'typeorm';
import type { FeatureConfig } from './config/index.js';
import type { ErrorCode } from './errors/index.js';
import util from 'node:util';

/** A migration class of TypeORM. Its name ends in the 13 digits of its timestamp. */
export type Migration = new () => MigrationInterface;

/** Entities of TypeORM. */
export type Entities = readonly (Type | EntitySchema)[];

/** The declaration of one feature: its name, its Nest module, and what it adds to the service. */
export interface Feature {
  /** Lower kebab case. Metrics, logs and the OpenAPI document use it. */
  readonly name: string;
  /** The semver range of platform versions that the feature was built for. It is checked at start. */
  readonly platform: string;
  /**
   * An ordinary Nest module. The feature's entities are those that it registers with `TypeOrmModule.forFeature([…])`.
   */
  readonly module: Type;
  readonly migrations?: readonly Migration[];
  /**
   * The privileges of the service's database login on a table, in the syntax of GRANT. Default for each table: SELECT,
   * INSERT, UPDATE, DELETE. The command `grants` prints them.
   */
  readonly privileges?: Readonly<Record<string, string>>;
  /** Scopes by name, with a description of what each allows: `{ 'pets:read': 'List and fetch pets' }`. */
  readonly scopes?: Readonly<Record<string, string>>;
  /** The feature's own error codes. */
  readonly errors?: readonly ErrorCode[];
  /** The feature's own variables, from `defineConfig`. */
  readonly config?: FeatureConfig;
  /** The records that the command `seed` inserts. */
  readonly samples?: Samples;
}

/** Generated records for one table. */
export interface Samples {
  readonly table: string;
  readonly columns: readonly string[];
  /**
   * The values of the record with number `n`, which begins at 0, in the order of `columns`. They must be the same at
   * every run.
   */
  readonly row: (n: number) => readonly (string | bigint | number | null)[];
}

/** Whether a text is lower kebab case, such as `pet-toys`, as the name of a feature must be. */
export function isKebabCase(text: string): boolean {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(text);
}

/** The declared features by their modules, with the files that declare them. */
const declarations = new WeakMap<Type, { readonly feature: Feature; readonly file: string | undefined }>();

/** Declares a feature. Its faults are not reported here, but at start, together with those of all features. */
export function defineFeature(feature: Feature): Feature {
  const file = callingFile(1);
  // A missing module is reported at start, with the other faults.
  if (typeof feature.module === 'function') declarations.set(feature.module, { feature, file });
  return Object.freeze(feature);
}

/**
 * The file that declares a feature, as a path or a file: URL; undefined if it was not declared with `defineFeature`.
 */
export function fileOf({ module }: Pick<Feature, 'module'>): string | undefined {
  return declarations.get(module)?.file;
}

/** The feature to which a module belongs, even if that feature is not started. */
export function ownerOf(module: Type): Feature | undefined {
  return declarations.get(module)?.feature;
}

/**
 * The file of the code that is `steps` calls above the caller, as a path or a file: URL. In the bundled program it is a
 * chunk, while `import.meta.url` is the module's place in `dist`.
 *
 * @returns undefined on an old Node without `getCallSites`. A program on an old Node starts a newer Node instead, but
 * only after all of its modules are loaded.
 */
export function callingFile(steps: number): string | undefined {
  const { getCallSites } = util as Partial<Pick<typeof util, 'getCallSites'>>;
  return getCallSites?.(steps + 2)[steps + 1]?.scriptName;
}
