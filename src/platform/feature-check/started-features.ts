import { ConfigError, type Config } from '../config/index.js';
import type { Feature } from '../feature.js';

/**
 * The features without those that FEATURES_OFF names, whose tables stay as they are.
 *
 * @throws {ConfigError} for a name that none of them has, and for variables of theirs that were not read.
 */
export function startedFeatures(
  features: readonly Feature[],
  { featuresOff, featureValues }: Config,
): readonly Feature[] {
  const known = features.map(({ name }) => name);
  if (!featuresOff.every((name) => known.includes(name))) {
    throw new ConfigError([{ name: 'FEATURES_OFF', reason: `may name only what there is: ${known.join(', ')}` }]);
  }
  const started = features.filter(({ name }) => !featuresOff.includes(name));
  const unread = started.flatMap(({ config }) => (config && !featureValues.has(config.KEY) ? [config] : []));
  const names = unread.flatMap(({ variables }) => Object.keys(variables));
  const reason = 'was not read: loadConfig takes the features as its third argument';
  if (names.length > 0) throw new ConfigError(names.map((name) => ({ name, reason })));
  return started;
}
