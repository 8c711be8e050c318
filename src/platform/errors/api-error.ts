import { statusOfCategory, type ErrorCode } from './error-code.js';

export interface ApiErrorOptions {
  /** Response headers that belong to this failure, e.g. `{ 'Retry-After': '2' }`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What caused it. Logged, never sent. */
  readonly cause?: unknown;
}

/** A failure that a client is told about as `{ code, message, status }`. Everything else thrown becomes a plain 500. */
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
}

/** The headers of a failure that is over soon: a client may try again after a second. */
export const RETRY_SOON = { 'Retry-After': '1' } as const;
