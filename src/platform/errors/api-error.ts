/**
 * The categories of error codes, each with its HTTP status. Only this table connects errors with HTTP, and a category
 * without a status does not compile.
 */
export const statusOfCategory = {
  malformed: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  timed_out: 408,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  uri_too_long: 414,
  unsupported: 415,
  unprocessable: 422,
  too_many: 429,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  bad_gateway: 502,
  unavailable: 503,
} as const satisfies Record<string, number>;

export type ErrorCategory = keyof typeof statusOfCategory;

/** One possible `code` of the Error body, with its meaning. It is defined by the feature that raises it. */
export interface ErrorCode {
  /** Lower snake case. Its meaning must never change after it is published. */
  readonly code: string;
  readonly category: ErrorCategory;
  /** The default message, and the example in the OpenAPI document. */
  readonly message: string;
}

/** Whether a text is lower snake case, as every error code is. */
export function isErrorCode(text: string): boolean {
  return /^[a-z]+(_[a-z0-9]+)*$/.test(text);
}

/**
 * Defines an error code.
 *
 * @throws {TypeError} if the code is not lower snake case.
 */
export function defineErrorCode(code: string, category: ErrorCategory, message: string): ErrorCode {
  if (!isErrorCode(code)) throw new TypeError(`Error code '${code}' is not lower snake case`);
  return Object.freeze({ code, category, message });
}

export interface ApiErrorOptions {
  /** Response headers for this failure, e.g. `{ 'Retry-After': '2' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The cause: an error, or a code such as `SHED_IN_FLIGHT`. It is logged, but never sent. */
  readonly cause?: unknown;
}

/**
 * A failure that the client receives as `{ code, message, status }`. The error filter converts other thrown values;
 * those that it does not recognise become a plain 500.
 */
export class ApiError extends Error {
  readonly kind: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param kind the error code, which determines `code` and `status`.
   * @param message for people. It must not contain secrets, internals or SQL.
   */
  constructor(kind: ErrorCode, message: string = kind.message, options: ApiErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ApiError';
    this.kind = kind;
    this.headers = options.headers ?? {};
  }

  get code(): string {
    return this.kind.code;
  }

  /** The HTTP status, 400 to 599. */
  get status(): number {
    return statusOfCategory[this.kind.category];
  }

  /** The code of the cause, for example `ECONNREFUSED`; undefined if no cause has a code. */
  get causeCode(): string | undefined {
    return codeOf(this.cause);
  }
}

/** Codes of Node, of database drivers and of the platform. None of them contains a value from a client. */
const CODE = /^[A-Z][A-Z0-9_]{2,60}$/;

function codeOf(cause: unknown): string | undefined {
  const code = cause instanceof Error ? (cause as { code?: unknown }).code : cause;
  if (typeof code === 'string' && CODE.test(code)) return code;
  return cause instanceof Error ? codeOf(cause.cause) : undefined;
}

/** The message for a write whose outcome is unknown: only the client can repeat it safely. */
export const OUTCOME_UNKNOWN =
  'It is not known whether this was done. To repeat it is safe with the same Idempotency-Key; without one, look first.';

/** The headers of a temporary failure: the client may try again after one second. */
export const RETRY_SOON = { 'Retry-After': '1' } as const;

/** The reason why a process cannot start, in plain words for the operator and without a stack. */
export class StartFault extends Error {
  /** The exit code of the process. */
  readonly exitCode: number = 1;
}
