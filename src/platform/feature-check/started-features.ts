import { ConfigError, type Config } from '../config/index.js';
import type { Feature } from '../feature.js';

/**
 * The features without those that FEATURES_OFF names, whose tables stay as they are.
 *
 * @throws {ConfigError} for a name that none of them has.
 */
export function startedFeatures(features: readonly Feature[], { featuresOff }: Config): readonly Feature[] {
  const names = features.map(({ name }) => name);
  if (!featuresOff.every((name) => names.includes(name))) {
    throw new ConfigError([{ name: 'FEATURES_OFF', reason: `may name only what there is: ${names.join(', ')}` }]);
  }
  return features.filter(({ name }) => !featuresOff.includes(name));
}
