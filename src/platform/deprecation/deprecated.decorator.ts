import { declareRoute, type DeprecationTerms } from '../routing/index.js';

/**
 * Marks an operation as going away: `Deprecation`, `Sunset` and `Link` on every answer of its path, struck through in the
 * document, 410 from the sunset on, and each use counted in `animal_store_deprecated_requests_total`.
 */
export function Deprecated(deprecated: DeprecationTerms): MethodDecorator {
  for (const day of [deprecated.since, deprecated.sunset]) {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day)))
      throw new TypeError(`'${day}' is not YYYY-MM-DD`);
  }
  return declareRoute({ deprecated });
}
