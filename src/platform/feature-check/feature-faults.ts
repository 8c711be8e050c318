// Two of its files: its index would load all forty at every start.
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { isPlatformVariable } from '../config/index.js';
import { isKebabCase, type Feature } from '../feature.js';
import { faultsOfCopies } from './second-copies.js';
import { tableOf, type Claimant } from './claims.js';
import { nameOfEntity, type DeclaredFeature } from './declared-features.js';
import { faultsOfConstructors, faultsOfParts } from './unsupported-parts.js';

const APP_PROVIDERS: readonly unknown[] = [APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE];

/** What is wrong with one feature by itself, one sentence each; every sentence names the feature. */
export function faultsOf(feature: DeclaredFeature, platformVersion: string, started: readonly Feature[]): string[] {
  return [
    ...faultsOfName(feature),
    ...feature.unreadable,
    ...faultsOfPlatform(feature, platformVersion),
    ...faultsOfCopies(feature),
    ...faultsOfNeeds(feature, started),
    ...faultsOfSchema(feature),
    ...faultsOfConfig(feature),
    ...faultsOfProviders(feature),
    ...faultsOfConstructors(feature),
    ...faultsOfParts(feature),
  ].map((fault) => `feature '${feature.name}' ${fault}`);
}

function faultsOfName({ name }: Feature): string[] {
  return isKebabCase(name) ? [] : ['has a name that is not lower kebab case'];
}

function faultsOfPlatform({ platform }: Feature, version: string): string[] {
  if (validRange(platform) === null) return [`names a platform '${platform}' that is not a range of versions`];
  return satisfies(version, platform) ? [] : [`was built for platform ${platform}; this is ${version}`];
}

/** TypeORM says each of these too, but only once it is connected, and one at a time. */
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

/** The prefix shows which feature a variable belongs to, and keeps it apart from those of the platform. */
function faultsOfConfig({ name, config }: DeclaredFeature): string[] {
  const prefix = `${name.replaceAll('-', '_').toUpperCase()}_`;
  return Object.keys(config?.variables ?? {})
    .filter((variable) => !variable.startsWith(prefix) || isPlatformVariable(variable))
    .map((variable) =>
      isPlatformVariable(variable)
        ? `has a variable '${variable}', which is the platform's`
        : `has a variable '${variable}', which does not begin with ${prefix}`,
    );
}

function faultsOfNeeds({ needs }: DeclaredFeature, started: readonly Feature[]): string[] {
  const names = new Set(started.map(({ name }) => name));
  return needs
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => `needs feature '${name}', which is not started`);
}

/** The sentence names the module too, since it may be one of a library that the feature imports. */
function faultsOfProviders({ modules }: DeclaredFeature): string[] {
  const provided = modules.flatMap(({ type, providers }) =>
    providers.map((provider) => ({ token: (provider as { provide?: unknown }).provide, module: type.name })),
  );
  return [
    ...provided
      .filter(({ token }) => APP_PROVIDERS.includes(token))
      .map(({ token, module }) => `provides ${String(token)} in ${module}, which would change every feature`),
    ...provided
      .filter(({ token, module }) => token === DataSource || module === 'TypeOrmCoreModule')
      .map(({ module }) => module)
      .filter((module, at, all) => all.indexOf(module) === at)
      .map((module) => `has a DataSource of its own, of ${module}; the service has one: use TypeOrmModule.forFeature`),
  ];
}
