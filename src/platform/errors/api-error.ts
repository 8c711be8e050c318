import { statusOfCategory, type ErrorCode } from './error-code.js';

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
