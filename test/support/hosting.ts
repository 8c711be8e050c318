import { fileURLToPath } from 'node:url';
import type { Environment } from './command.js';
import type { ServiceOptions } from './service.js';

export interface Hosting {
  /** Files of test/, each exporting features and nothing else, as paths from test/support/. */
  readonly features?: readonly string[];
  /** ISO 8601: the clock stands still there. */
  readonly now?: string;
  /** Milliseconds by which the clock is ahead. */
  readonly laterMs?: number;
  readonly env?: Environment;
}

/** Options for `Service`: `pets` with more features or on another day, started as another team would start them. */
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
