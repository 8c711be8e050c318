import { expect, it } from '@jest/globals';
import { ApiError } from './api-error.js';
import { coreErrors } from './core-errors.js';

/** Clients depend on this list. To remove a code, to add one or to change a status changes the contract. */
const CLOSED_LIST = {
  400: [
    'bad_request',
    'invalid_parameter',
    'unknown_parameter',
    'duplicate_parameter',
    'invalid_cursor',
    'body_required',
    'invalid_json',
    'missing_field',
    'invalid_field',
    'unknown_field',
    'invalid_idempotency_key',
  ],
  401: ['missing_api_key', 'invalid_api_key', 'expired_api_key'],
  403: ['insufficient_scope'],
  404: ['route_not_found'],
  405: ['method_not_allowed'],
  406: ['not_acceptable'],
  408: ['request_timeout'],
  409: ['idempotency_key_in_use'],
  410: ['operation_removed'],
  413: ['payload_too_large'],
  414: ['uri_too_long'],
  415: ['unsupported_media_type'],
  422: ['idempotency_key_reused'],
  429: ['rate_limited'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  503: ['service_unavailable'],
};

it('the error codes of the platform are a closed list, each with its status', () => {
  const errors = Object.values(coreErrors).map((kind) => new ApiError(kind));
  const codes = Map.groupBy(errors, ({ status }) => status);
  const found = [...codes].map(([status, all]) => [status, all.map(({ code }) => code)]);
  expect(Object.fromEntries(found)).toEqual(CLOSED_LIST);
});
