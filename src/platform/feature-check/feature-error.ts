import { StartFault } from '../start-fault.js';

/** All that is wrong with the features that were to start together. */
export class FeatureError extends StartFault {
  constructor(readonly violations: readonly string[]) {
    super(`The features cannot start:\n${violations.map((violation) => `  - ${violation}`).join('\n')}`);
    this.name = 'FeatureError';
  }
}
