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
