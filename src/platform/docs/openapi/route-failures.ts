import { coreErrors, statusOfCategory, type ErrorCode } from '../../errors/index.js';
import type { Route } from '../../routing/index.js';

const anyRoute = [
  coreErrors.badRequest,
  coreErrors.unknownParameter,
  coreErrors.notAcceptable,
  coreErrors.requestTimeout,
  coreErrors.uriTooLong,
  coreErrors.headersTooLarge,
  coreErrors.internalError,
  coreErrors.serviceUnavailable,
];
const withKey = [coreErrors.missingApiKey, coreErrors.invalidApiKey, coreErrors.expiredApiKey, coreErrors.rateLimited];
const withQuery = [coreErrors.invalidParameter, coreErrors.duplicateParameter];
const withBody = [
  coreErrors.bodyRequired,
  coreErrors.invalidJson,
  coreErrors.missingField,
  coreErrors.invalidField,
  coreErrors.unknownField,
  coreErrors.payloadTooLarge,
  coreErrors.unsupportedMediaType,
];
const withIdempotency = [
  coreErrors.invalidIdempotencyKey,
  coreErrors.idempotencyKeyInUse,
  coreErrors.idempotencyKeyReused,
];

/** Every error code that a route can answer, by status: what the platform raises for such a route, and its own. */
export function failuresOf(route: Route): Map<number, ErrorCode[]> {
  const codes = [
    ...anyRoute,
    ...(route.open ? [] : withKey),
    ...(route.scopes.length > 0 ? [coreErrors.insufficientScope] : []),
    ...(route.hasQuery ? withQuery : []),
    ...(route.paginated ? [coreErrors.invalidCursor] : []),
    ...(route.bodyType ? withBody : []),
    ...(route.idempotent ? withIdempotency : []),
    ...(route.deprecated ? [coreErrors.operationRemoved] : []),
    ...route.raises,
  ];
  return Map.groupBy(new Set(codes), ({ category }) => statusOfCategory[category]);
}
