import { pets } from './pets/index.js';
import type { Feature } from './platform/feature.js';

/** The features of this service. Another team adds its feature with one line here. */
export const features: readonly Feature[] = [pets];
