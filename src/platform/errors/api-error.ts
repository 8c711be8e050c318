/**
 * What kind of failure an error code stands for. Errors know no HTTP: this table alone says which status a category
 * leaves the service with, and a category without a status does not compile.
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

/** One value of the Error body's `code`, with what it means. The feature that raises it defines it. */
export interface ErrorCode {
  /** Lower snake case; its meaning never changes once published. */
  readonly code: string;
  readonly category: ErrorCategory;
  /** The message when the thrower gives none; also the example in the OpenAPI document. */
  readonly message: string;
}

/** Whether a text is lower snake case, as every code is. */
export function isErrorCode(text: string): boolean {
  return /^[a-z]+(_[a-z0-9]+)*$/.test(text);
}

/**
 * Defines an error code.
 *
 * @throws {TypeError} when the code is not lower snake case.
 */
export function defineErrorCode(code: string, category: ErrorCategory, message: string): ErrorCode {
  if (!isErrorCode(code)) throw new TypeError(`Error code '${code}' is not lower snake case`);
  return Object.freeze({ code, category, message });
}

export interface ApiErrorOptions {
  /** Response headers that belong to this failure, e.g. `{ 'Retry-After': '2' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What caused it, an error or a code as `SHED_IN_FLIGHT`. Logged, never sent. */
  readonly cause?: unknown;
}

/** A failure that a client sees as `{ code, message, status }`. Everything else thrown becomes a plain 500. */
export class ApiError extends Error {
  readonly kind: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param kind what failed; decides `code` and `status`.
   * @param message for a person to read; never a secret, an internal or SQL.
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

  /** What caused it in one word, `ECONNREFUSED` for example; undefined where nothing has said. */
  get causeCode(): string | undefined {
    return codeOf(this.cause);
  }
}

/** Of Node's, of drivers, and of ours: no code holds a client's value. */
const CODE = /^[A-Z][A-Z0-9_]{2,60}$/;

function codeOf(cause: unknown): string | undefined {
  const code = cause instanceof Error ? (cause as { code?: unknown }).code : cause;
  if (typeof code === 'string' && CODE.test(code)) return code;
  return cause instanceof Error ? codeOf(cause.cause) : undefined;
}

/** What is said of a write that may have been done: nobody but the client can repeat it safely. */
export const OUTCOME_UNKNOWN =
  'It is not known whether this was done. To repeat it is safe with the same Idempotency-Key; without one, look first.';

/** The headers of a failure that is over soon: a client may try again after a second. */
export const RETRY_SOON = { 'Retry-After': '1' } as const;

/** Why a process cannot start, in plain words for whoever started it, without a stack. */
export class StartFault extends Error {
  /** What the process exits with. */
  readonly exitCode: number = 1;
}
