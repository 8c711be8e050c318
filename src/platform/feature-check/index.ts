export { declareFeatures, startedFeatures } from './declared-features.js';
export { readersOfEnvironment } from './environment-readers.js';
export { checkFeatures, FeatureError } from './check-features.js';
export { HookWatch } from './hook-watch.js';
export { attributeToFeature, lineAttribution } from './feature-at-fault.js';
