import { defineErrorCode } from './api-error.js';

/** All error codes of the platform (contract, "Error codes"). Features define their own codes in addition. */
export const coreErrors = {
  badRequest: defineErrorCode('bad_request', 'malformed', 'The request could not be understood.'),
  invalidParameter: defineErrorCode('invalid_parameter', 'malformed', 'A query parameter has an invalid value.'),
  unknownParameter: defineErrorCode('unknown_parameter', 'malformed', 'A query parameter is not known here.'),
  duplicateParameter: defineErrorCode('duplicate_parameter', 'malformed', 'A query parameter is given twice.'),
  invalidCursor: defineErrorCode('invalid_cursor', 'malformed', 'The cursor is not one that this list gave out.'),
  bodyRequired: defineErrorCode('body_required', 'malformed', 'A JSON request body is required.'),
  invalidJson: defineErrorCode('invalid_json', 'malformed', 'The request body is not valid JSON.'),
  missingField: defineErrorCode('missing_field', 'malformed', 'A required field is missing.'),
  invalidField: defineErrorCode('invalid_field', 'malformed', 'A field has an invalid value.'),
  unknownField: defineErrorCode('unknown_field', 'malformed', 'A field is not known here.'),
  invalidIdempotencyKey: defineErrorCode(
    'invalid_idempotency_key',
    'malformed',
    'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.',
  ),
  missingApiKey: defineErrorCode(
    'missing_api_key',
    'unauthenticated',
    'Send an API key in the Authorization header: Authorization: Bearer <API_KEY>.',
  ),
  invalidApiKey: defineErrorCode('invalid_api_key', 'unauthenticated', 'The API key is not valid.'),
  expiredApiKey: defineErrorCode('expired_api_key', 'unauthenticated', 'The API key has expired.'),
  insufficientScope: defineErrorCode('insufficient_scope', 'forbidden', 'The API key lacks a scope needed here.'),
  routeNotFound: defineErrorCode('route_not_found', 'not_found', 'There is nothing at this path.'),
  methodNotAllowed: defineErrorCode('method_not_allowed', 'method_not_allowed', 'This path does not know the method.'),
  notAcceptable: defineErrorCode('not_acceptable', 'not_acceptable', 'Answers are JSON, which Accept excludes.'),
  requestTimeout: defineErrorCode('request_timeout', 'timed_out', 'The request took too long to arrive.'),
  idempotencyKeyInUse: defineErrorCode(
    'idempotency_key_in_use',
    'conflict',
    'A request with this Idempotency-Key is still being worked on. Try again shortly.',
  ),
  operationRemoved: defineErrorCode('operation_removed', 'gone', 'This operation has been removed.'),
  payloadTooLarge: defineErrorCode('payload_too_large', 'too_large', 'The request body is too large.'),
  uriTooLong: defineErrorCode('uri_too_long', 'uri_too_long', 'The URL is too long.'),
  unsupportedMediaType: defineErrorCode(
    'unsupported_media_type',
    'unsupported',
    'Send the body as application/json in UTF-8, without a Content-Encoding.',
  ),
  idempotencyKeyReused: defineErrorCode(
    'idempotency_key_reused',
    'unprocessable',
    'This Idempotency-Key was used before with another body or path.',
  ),
  rateLimited: defineErrorCode('rate_limited', 'too_many', 'Too many requests. Try again later.'),
  headersTooLarge: defineErrorCode('headers_too_large', 'headers_too_large', 'The request headers are too large.'),
  internalError: defineErrorCode('internal_error', 'internal', 'Something went wrong on our side.'),
  serviceUnavailable: defineErrorCode(
    'service_unavailable',
    'unavailable',
    'The service cannot answer just now. Try again shortly.',
  ),
} as const;
