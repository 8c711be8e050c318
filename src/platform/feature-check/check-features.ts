import { readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { dirname } from 'node:path';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
// Two files of semver. Its index would load all forty at every start.
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { DataSource } from 'typeorm';
import { isPlatformVariable } from '../config/index.js';
import { StartFault } from '../errors/index.js';
import { fileOf, isKebabCase, ownerOf, type Feature } from '../feature.js';
import { discoverRoutes, type Route } from '../routing/index.js';
import { clashesOf, tableOf, type Claimant } from './claims.js';
import { faultsOfClasses } from './class-faults.js';
import { declareFeatures, nameOfEntity, type DeclaredFeature } from './declared-features.js';
import { clashesOfSchemas, documentClasses } from './documented-classes.js';
import { faultsOfRoutes } from './route-faults.js';

interface PlatformClaims extends Claimant {
  readonly version: string;
}

/**
 * Checks everything that the features declare, before any of their code runs.
 *
 * @param basePath the prefix of every route's path, e.g. `/v1`.
 * @returns every route of every feature, and the features with everything that their modules declare.
 * @throws {FeatureError} (rejects) with every violation of every feature.
 */
export async function checkFeatures(
  features: readonly Feature[],
  platform: PlatformClaims,
  basePath: string,
): Promise<{ routes: Route[]; declared: DeclaredFeature[] }> {
  const incomplete = features.flatMap(holesIn);
  if (incomplete.length > 0) throw new FeatureError(incomplete);
  const declared = await declareFeatures(features);
  const { routes, violations } = discoverRoutes(declared, basePath);
  const all = [
    ...declared.flatMap((feature) => faultsOf(feature, platform.version, features)),
    ...clashesOf(declared, platform),
    ...violations,
    ...documentClasses(routes),
    ...faultsOfRoutes(routes, features),
    ...clashesOfSchemas(routes),
  ];
  if (all.length > 0) throw new FeatureError(all);
  return { routes, declared };
}

/** Every violation that was found in the features of one start. */
export class FeatureError extends StartFault {
  constructor(readonly violations: readonly string[]) {
    super(`The features cannot start:\n${violations.map((violation) => `  - ${violation}`).join('\n')}`);
    this.name = 'FeatureError';
  }
}

/** Finds undefined values, which circular imports leave and which the compiler cannot see. */
function holesIn({ name, module, migrations = [], errors = [] }: Feature): string[] {
  const parts: Readonly<Record<string, readonly unknown[]>> = { module: [module], migrations, errors };
  return Object.entries(parts)
    .filter(([, part]) => part.includes(undefined))
    .map(([part]) => `feature '${name}' has undefined in its ${part}; two files that import each other leave it so`);
}

const APP_PROVIDERS: readonly unknown[] = [APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE];

/** The faults of one feature by itself, one clause each. */
function faultsOf(feature: DeclaredFeature, platformVersion: string, started: readonly Feature[]): string[] {
  const { name, misread, needs } = feature;
  return [
    ...(isKebabCase(name) ? [] : ['has a name that is not lower kebab case']),
    ...misread.map((other) => `imports feature '${other.name}' itself; import its .module`),
    ...faultsOfPlatform(feature, platformVersion),
    ...faultsOfCopies(feature),
    ...needs
      .filter((other) => started.every((each) => each.name !== other.name))
      .map((other) => `needs feature '${other.name}', which is not started`),
    ...faultsOfSchema(feature),
    ...faultsOfConfig(feature),
    ...faultsOfProviders(feature),
    ...faultsOfClasses(feature),
  ].map((fault) => `feature '${name}' ${fault}`);
}

function faultsOfPlatform({ platform }: Feature, version: string): string[] {
  if (validRange(platform) === null) return [`names a platform '${platform}' that is not a range of versions`];
  return satisfies(version, platform) ? [] : [`was built for platform ${platform}; this is ${version}`];
}

/** TypeORM reports these faults too, but only after it has connected, and one at a time. */
function faultsOfSchema({ entities, migrations = [] }: Claimant): string[] {
  return [
    ...entities
      .filter((entity) => tableOf(entity) === undefined)
      .map((entity) => `has ${nameOfEntity(entity)} as an entity, which is no @Entity()`),
    ...migrations
      .filter(({ name }) => !/[0-9]{13}$/.test(name))
      .map(({ name }) => `has a migration ${name}, whose name does not end in the 13 digits of its timestamp`),
  ];
}

/** The prefix shows which feature a variable belongs to, and avoids clashes with the platform's variables. */
function faultsOfConfig({ name, config }: DeclaredFeature): string[] {
  const prefix = `${name.replaceAll('-', '_').toUpperCase()}_`;
  return Object.keys(config?.variables ?? {}).flatMap((variable) => {
    if (isPlatformVariable(variable)) return [`has a variable '${variable}', which is the platform's`];
    return variable.startsWith(prefix) ? [] : [`has a variable '${variable}', which does not begin with ${prefix}`];
  });
}

/** The clause names the module too, because it may belong to a library that the feature imports. */
function faultsOfProviders({ modules }: DeclaredFeature): string[] {
  const provided = modules.flatMap(({ type, providers }) =>
    providers.map((provider) => ({ token: (provider as { provide?: unknown }).provide, module: type.name })),
  );
  const sources = provided.filter(({ token, module }) => token === DataSource || module === 'TypeOrmCoreModule');
  return [
    ...provided
      .filter(({ token }) => APP_PROVIDERS.includes(token))
      .map(({ token, module }) => `provides ${String(token)} in ${module}, which would change every feature`),
    ...[...new Set(sources.map(({ module }) => module))].map(
      (module) => `has a DataSource of its own, of ${module}; the service has one: use TypeOrmModule.forFeature`,
    ),
  ];
}

/**
 * Packages of which a process must load one copy only. Injection compares classes by identity, exceptions are
 * recognised by `instanceof`, and each copy of a package has its own metadata storage.
 */
const SINGLE = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/platform-express',
  '@nestjs/swagger',
  '@nestjs/typeorm',
  'class-transformer',
  'class-validator',
  'reflect-metadata',
  'rxjs',
  'typeorm',
];

const HERE = import.meta.url;

/**
 * One clause for each package that the feature would load from another place than the platform. A feature that is
 * declared by a second copy of animal-store is known to that copy only, so its scopes would be lost.
 */
function faultsOfCopies(feature: Feature): string[] {
  if (ownerOf(feature.module) === undefined) {
    return [`was not declared by the defineFeature of ${folderOf('..', HERE) ?? HERE}; there may be one animal-store`];
  }
  const file = fileOf(feature);
  return file === undefined ? [] : SINGLE.flatMap((name) => faultsOfPackage(name, file));
}

function faultsOfPackage(name: string, file: string): string[] {
  const ours = folderOf(name, HERE);
  const theirs = folderOf(name, file);
  if (ours === undefined || theirs === undefined || ours === theirs) return [];
  return [
    `brings its own ${name} ${versionIn(theirs)} (${theirs}) beside ${versionIn(ours)} (${ours}); ` +
      'there may be one: make it a peerDependency of the feature, and install again',
  ];
}

/** The folder of a package, resolved from a file and with symbolic links followed. Undefined if it is not found. */
function folderOf(name: string, from: string): string | undefined {
  try {
    const manifest = module.findPackageJSON(name, from);
    return manifest === undefined ? undefined : dirname(realpathSync(manifest));
  } catch {
    return undefined;
  }
}

function versionIn(folder: string): string {
  return (JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version: string }).version;
}
