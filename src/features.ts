import { pets } from './pets/index.js';
import type { Feature } from './platform/feature.js';

/** The features that this service ships. Another team adds its own by one line here. */
export const features: readonly Feature[] = [pets];
