import { discoverRoutes, type Route } from '../routing/index.js';
import type { Feature } from '../feature.js';
import { clashesOf, type Claimant, clashesOfSchemas } from './claims.js';
import { faultsOfDeclaration } from './declaration-faults.js';
import { declareFeatures, type DeclaredFeature } from './declared-features.js';
import { documentClasses } from './documented-classes.js';
import { faultsOf } from './feature-faults.js';
import { faultsOfRoutes } from './route-faults.js';
import { StartFault } from '../errors/index.js';

interface PlatformClaims extends Claimant {
  readonly version: string;
}

/**
 * Checks everything that the features declare, before any of their code runs.
 *
 * @param basePath what the path of every route begins with, e.g. `/v1`.
 * @returns every route of every feature, and the features with what their modules bring.
 * @throws {FeatureError} (rejects) with every violation of every feature.
 */
export async function checkFeatures(
  features: readonly Feature[],
  platform: PlatformClaims,
  basePath: string,
): Promise<{ routes: Route[]; declared: DeclaredFeature[] }> {
  const unreadable = features.flatMap(faultsOfDeclaration);
  if (unreadable.length > 0) throw new FeatureError(unreadable);
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

/** All that is wrong with the features that were to start together. */
export class FeatureError extends StartFault {
  constructor(readonly violations: readonly string[]) {
    super(`The features cannot start:\n${violations.map((violation) => `  - ${violation}`).join('\n')}`);
    this.name = 'FeatureError';
  }
}
