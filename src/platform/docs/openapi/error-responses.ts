import { coreErrors, statusOfCategory, type ErrorCode } from '../../errors/index.js';
import type { Route } from '../../routing/index.js';

/** What is wrong with a request that gets 400, by error code. */
const faults = new Map<ErrorCode, string>([
  [coreErrors.badRequest, 'is malformed'],
  [coreErrors.unknownParameter, 'has an unknown query parameter'],
  [coreErrors.invalidParameter, 'has one with an invalid value'],
  [coreErrors.duplicateParameter, 'has one twice'],
  [coreErrors.invalidCursor, 'has a cursor that this list did not give out'],
  [coreErrors.bodyRequired, 'has no body'],
  [coreErrors.invalidJson, 'has one that is not JSON'],
  [coreErrors.missingField, 'lacks required fields'],
  [coreErrors.invalidField, 'contains invalid values'],
  [coreErrors.unknownField, 'contains unknown fields'],
  [coreErrors.invalidIdempotencyKey, 'has an invalid `Idempotency-Key`'],
]);
const anyOf = new Intl.ListFormat('en', { type: 'disjunction' });

/** What each other status of the platform means. Each of its error codes has its own example. */
const meaning: Readonly<Record<number, string>> = {
  401: 'Missing or invalid API key.',
  403: 'The API key lacks a scope that this operation needs.',
  405: 'The path does not know the method.',
  406: '`Accept` excludes JSON.',
  408: 'The request took too long to arrive.',
  409: 'The request conflicts with one that is still being worked on.',
  410: 'The operation has been removed; `Link` names its successor.',
  413: 'The request body is too large.',
  414: 'The URL is too long.',
  415: 'The request body is not JSON in UTF-8, or is encoded.',
  422: 'The request is well formed but cannot be carried out.',
  429: 'Too many requests; try again after `Retry-After`.',
  431: 'The request headers are too large.',
  500: 'Something went wrong on the side of the service.',
  503: 'The service cannot answer just now; try again after `Retry-After`.',
};

export const errorSchema = {
  type: 'object',
  description: 'What every failure answers.',
  required: ['code', 'message', 'status'],
  properties: {
    code: {
      type: 'string',
      description: 'Machine-readable error code. Its meaning never changes; new ones may be added.',
      pattern: '^[a-z]+(_[a-z0-9]+)*$',
      examples: ['invalid_field'],
    },
    message: {
      type: 'string',
      description: 'Human-readable description of the error. Its wording may change.',
      minLength: 1,
      examples: ['A field has an invalid value.'],
    },
    status: {
      type: 'integer',
      description: 'The HTTP status code.',
      minimum: 400,
      maximum: 599,
      examples: [400],
    },
  },
  additionalProperties: false,
};

/** What a status of an operation means: the platform's sentence, then the messages of the feature's own error codes. */
function meaningOf(status: number, codes: readonly ErrorCode[]): string {
  // The interface (§7) prescribes this sentence for every missing object.
  if (status === statusOfCategory.not_found) return 'The requested resource could not be found.';
  const own = codes.filter((code) => !platformCodes.has(code)).map(({ message }) => message);
  if (own.length > 0 && own.length === codes.length) return own.join(' ');
  const found = codes.flatMap((code) => faults.get(code) ?? []);
  const general = meaning[status] ?? (found.length > 0 ? `The request ${anyOf.format(found)}.` : 'The request failed.');
  return [general, ...own].join(' ');
}

const platformCodes: ReadonlySet<ErrorCode> = new Set(Object.values(coreErrors));

/** The response for one status: the Error schema, with an example for each error code that can occur. */
export function errorResponse(status: number, codes: readonly ErrorCode[]): object {
  const examples = codes.map(({ code }) => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: meaningOf(status, codes),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        ...(codes.length > 0 && { examples: Object.fromEntries(examples) as object }),
      },
    },
  };
}

/** `components/examples`: the response body of each error code. */
export function errorExamples(codes: Iterable<ErrorCode>): Record<string, object> {
  const examples = [...new Set(codes)].map(({ code, category, message }) => {
    return [code, { summary: code, value: { code, message, status: statusOfCategory[category] } }] as const;
  });
  return Object.fromEntries(examples.sort(([a], [b]) => (a < b ? -1 : 1)));
}

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

/** Every error code of a route, by status: the codes that the platform raises for such a route, and the route's own. */
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
