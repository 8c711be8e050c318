import { parseExact } from './exact-json.js';

/** An answer that is no success. Nothing of it is retried any more. */
export class AnimalStoreError extends Error {
  override readonly name = 'AnimalStoreError';

  /**
   * @param status the HTTP status.
   * @param code for programs: one of the error codes of docs/api.md; `unknown` where the answer is not the service's own.
   * @param message for people.
   * @param requestId of the answer, to report it with.
   */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }

  /** Of an answer and its body. A proxy on the way may answer in another form than the service. */
  static from({ status, headers }: Response, text: string): AnimalStoreError {
    const { code = 'unknown', message = `The answer was ${status}.` } = errorBody(text);
    return new AnimalStoreError(status, code, message, headers.get('x-request-id') ?? undefined);
  }
}

function errorBody(text: string): { readonly code?: string; readonly message?: string } {
  try {
    const body = parseExact(text) as Readonly<Record<string, unknown>> | null;
    return typeof body?.['code'] === 'string' ? { code: body['code'], message: String(body['message']) } : {};
  } catch {
    return {};
  }
}
