import { fileURLToPath } from 'node:url';
import type { Environment } from './command.js';
import type { ServiceOptions } from './service.js';

export interface Hosting {
  /** Files that export features and nothing else, as paths relative to test/support/. */
  readonly features?: readonly string[];
  /** ISO 8601. Stops the clock at this moment. */
  readonly now?: string;
  /** Milliseconds by which the clock is ahead. */
  readonly laterMs?: number;
  readonly env?: Environment;
}

/** Options for `Service`: starts `pets` with more features or with another clock, as another team would. */
export function hosting({
  features = [],
  now,
  laterMs,
  env,
}: Hosting): Required<Pick<ServiceOptions, 'program' | 'env'>> {
  return {
    program: fileURLToPath(new URL('host.mjs', import.meta.url)),
    env: {
      TEST_FEATURES: features.join(','),
      ...(now !== undefined && { TEST_NOW: now }),
      ...(laterMs !== undefined && { TEST_LATER_MS: String(laterMs) }),
      ...env,
    },
  };
}
