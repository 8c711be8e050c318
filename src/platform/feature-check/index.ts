export { checkFeatures } from './check-features.js';
export { FeatureError } from './feature-error.js';
