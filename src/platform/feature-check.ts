import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import semver from 'semver';
import { coreErrors } from './errors/index.js';
import type { Feature } from './feature.js';
import type { Route } from './routing/index.js';

const APP_PROVIDERS: readonly unknown[] = [APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE];

/** All that is wrong with the features that were to start together. */
export class FeatureError extends Error {
  constructor(readonly violations: readonly string[]) {
    super(`The features cannot start:\n${violations.map((violation) => `  - ${violation}`).join('\n')}`);
    this.name = 'FeatureError';
  }
}

/** What is wrong with the declarations alone, one sentence each; every sentence names the feature. */
export function checkFeatures(features: readonly Feature[], platformVersion: string): string[] {
  const platformCodes = Object.values(coreErrors).map(({ code }) => ['the platform', code] as const);
  return [
    ...features.flatMap((feature) => checkFeature(feature, platformVersion)),
    ...clashes(
      'name',
      features.map(({ name }) => [`feature '${name}'`, name]),
    ),
    ...clashes(
      'scope',
      features.flatMap((f) => Object.keys(f.scopes ?? {}).map((scope) => [named(f), scope])),
    ),
    ...clashes(
      'migration',
      features.flatMap((f) => (f.migrations ?? []).map(({ name }) => [named(f), name])),
    ),
    ...clashes('error code', [
      ...platformCodes,
      ...features.flatMap((f) => (f.errors ?? []).map(({ code }) => [named(f), code] as const)),
    ]),
  ];
}

/** What is wrong with the routes that the features' controllers serve. */
export function checkRoutes(routes: readonly Route[], features: readonly Feature[]): string[] {
  const scopes = new Set(features.flatMap((feature) => Object.keys(feature.scopes ?? {})));
  const codes = new Map(features.map((feature) => [feature.name, new Set(feature.errors?.map(({ code }) => code))]));
  const undeclared = routes.flatMap((route) => [
    ...route.scopes
      .filter((scope) => !scopes.has(scope))
      .map(
        (scope) => `feature '${route.feature}': ${route.operationId} needs scope '${scope}', which no feature declares`,
      ),
    ...route.raises
      .filter(({ code }) => codes.get(route.feature)?.has(code) !== true)
      .map(
        ({ code }) =>
          `feature '${route.feature}': ${route.operationId} raises '${code}', which the feature does not declare`,
      ),
  ]);
  return [
    ...undeclared,
    ...clashes(
      'route',
      routes.map((route) => [`feature '${route.feature}'`, `${route.method} ${route.path.replace(/\{\w+\}/g, '{}')}`]),
    ),
    ...clashes(
      'operationId',
      routes.map((route) => [`feature '${route.feature}'`, route.operationId]),
    ),
  ];
}

function checkFeature(feature: Feature, platformVersion: string): string[] {
  const violations: string[] = [];
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(feature.name))
    violations.push(`${named(feature)}: the name is not lower kebab case`);
  if (semver.validRange(feature.platform) === null) {
    violations.push(`${named(feature)}: '${feature.platform}' is not a range of platform versions`);
  } else if (!semver.satisfies(platformVersion, feature.platform)) {
    violations.push(`${named(feature)} was built for platform ${feature.platform}; this is ${platformVersion}`);
  }
  const providers = (Reflect.getMetadata('providers', feature.module) ?? []) as { provide?: unknown }[];
  for (const { provide } of providers) {
    const app = APP_PROVIDERS.indexOf(provide);
    if (app >= 0)
      violations.push(`${named(feature)} provides ${String(APP_PROVIDERS[app])}, which would change every feature`);
  }
  return violations;
}

function named(feature: Feature): string {
  return `feature '${feature.name}'`;
}

/** One sentence for each thing that is claimed more than once. */
function clashes(what: string, claims: readonly (readonly [owner: string, claim: string])[]): string[] {
  const owners = Map.groupBy(claims, ([, claim]) => claim);
  return [...owners]
    .filter(([, claimed]) => claimed.length > 1)
    .map(([claim, claimed]) => `${what} '${claim}' is claimed by ${claimed.map(([owner]) => owner).join(' and ')}`);
}
