export { checkFeatures } from './check-features.js';
export { FeatureError } from './feature-error.js';
export { startedFeatures } from './started-features.js';
export { featureAtFault, FeatureStartError } from './feature-at-fault.js';
