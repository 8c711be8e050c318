export { declareFeatures, readersOfEnvironment, startedFeatures } from './declared-features.js';
export { checkFeatures, FeatureError } from './check-features.js';
export { HookWatch } from './hook-watch.js';
export { attributeToFeature, lineAttribution } from './feature-at-fault.js';
