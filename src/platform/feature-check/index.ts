export { declareFeatures } from './declared-features.js';
export { checkFeatures, FeatureError } from './check-features.js';
export { HookWatch, type HookAtWork } from './hook-watch.js';
export { startedFeatures } from './started-features.js';
export { attributeToFeature } from './feature-at-fault.js';
export { lineAttribution } from './feature-of-line.js';
