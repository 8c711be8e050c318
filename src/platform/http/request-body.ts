import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, coreErrors } from '../errors/index.js';
import { parseJson } from '../json/index.js';
import { refuseQuery, UnreadBody } from '../validation/index.js';
import { exchangeOf, type IncomingBody } from './exchange.js';
import { headerValues } from './client-fault.js';

export interface BodyOptions {
  readonly limitBytes: number;
  /** Whether a request without a body is refused. */
  readonly isRequired: boolean;
  /** Called when the body has arrived, or when there is none. */
  readonly arrived: () => void;
}

/** The body of a request. It is read only after the platform's other guards have accepted the request. */
export class RequestBody extends UnreadBody implements IncomingBody {
  private reading: Promise<unknown> | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly options: BodyOptions,
  ) {
    super();
  }

  /**
   * Reads and parses the body. Further calls return the same value. The checks run in this order: media type, size,
   * JSON (contract, "Order of checks").
   *
   * @returns undefined if there is no body and none is required.
   * @throws {ApiError} (rejects) body_required, unsupported_media_type, payload_too_large, invalid_json; bad_request
   * for a body that is malformed or incomplete; unknown_parameter for a query parameter that the route does not
   * declare.
   */
  read(): Promise<unknown> {
    return (this.reading ??= this.readOnce());
  }

  /** Whether the headers announce a body. */
  get isThere(): boolean {
    const { headers } = this.request;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  }

  get mediaType(): string {
    return (this.request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  }

  /**
   * Leaves the bytes to an interceptor of the feature, such as `FileInterceptor`. Beyond the limit the request emits an
   * error, as if its connection had failed. That stops the reader.
   *
   * @throws {ApiError} payload_too_large if `Content-Length` exceeds the limit; the fault of a malformed body.
   */
  leave(): void {
    this.requireFit();
    this.requireWellFormed();
    this.begin();
    const { request } = this;
    let length = 0;
    const count = (chunk: Buffer): void => {
      const before = length;
      length += chunk.length;
      if (length <= this.options.limitBytes || before > this.options.limitBytes) return;
      request.unpipe().resume();
      request.emit('error', this.tooLarge());
    };
    // A `data` listener would start the stream before its reader does.
    request.once('resume', () => request.on('data', count));
    request.once('end', () => this.end());
  }

  private async readOnce(): Promise<unknown> {
    const exchange = exchangeOf(this.request);
    if (!this.isThere && !this.options.isRequired) {
      this.options.arrived();
      return undefined;
    }
    this.requireAcceptable();
    this.requireWellFormed();
    this.begin();
    const bytes = await this.collect();
    // The last byte may arrive after the request timed out (408).
    if (this.response.headersSent || exchange.isOver) throw notWhole();
    this.end();
    if (bytes.length === 0) throw new ApiError(coreErrors.bodyRequired);
    const value = parseJson(bytes);
    if (exchange.route?.queryNames !== undefined) refuseQuery(exchange.query, exchange.route.queryNames);
    return value;
  }

  /** Checks what the headers say about the body. */
  private requireAcceptable(): void {
    const { headers, rawHeaders } = this.request;
    if (!this.isThere) throw new ApiError(coreErrors.bodyRequired);
    requireJson(headerValues(rawHeaders, 'content-type'), headers['content-encoding']);
    this.requireFit();
  }

  private requireFit(): void {
    const declared = this.request.headers['content-length'];
    if (declared !== undefined && Number(declared) > this.options.limitBytes) throw this.tooLarge();
  }

  /** A malformed body is too large if more bytes than the limit came before its fault. */
  private requireWellFormed(): void {
    const { bodyFault } = exchangeOf(this.request);
    if (bodyFault === undefined) return;
    throw this.request.readableLength > this.options.limitBytes ? this.tooLarge() : bodyFault;
  }

  /** While the body arrives, the request does not count as work in progress. */
  private begin(): void {
    const exchange = exchangeOf(this.request);
    exchange.waitsForBody = true;
    if (asksToContinue(this.request)) this.response.writeContinue();
    exchange.workload?.rest(exchange);
  }

  private end(): void {
    const exchange = exchangeOf(this.request);
    exchange.waitsForBody = false;
    if (exchange.isOver || this.response.headersSent) return;
    exchange.workload?.take(exchange);
    this.options.arrived();
  }

  private collect(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      this.request.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= this.options.limitBytes) chunks.push(chunk);
        else reject(this.tooLarge());
      });
      this.request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
      this.request.on('error', () => reject(notWhole()));
    });
  }

  private tooLarge(): ApiError {
    return new ApiError(
      coreErrors.payloadTooLarge,
      `The request body may have at most ${this.options.limitBytes} bytes.`,
    );
  }
}

const notWhole = (): ApiError => new ApiError(coreErrors.badRequest, 'The request body did not arrive whole.');

/** RFC 9110 §10.1.1: HTTP/1.0 has no status 100. No other expectation is defined. */
function asksToContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersion === '1.1';
}

/**
 * @param contentTypes all values of the header. If there are several, a proxy may use another one than this service.
 */
function requireJson(contentTypes: readonly string[], contentEncoding: string | undefined): void {
  const [contentType = '', ...others] = contentTypes;
  if (others.length > 0 || (contentType !== 'application/json' && !isJson(contentType))) {
    throw new ApiError(coreErrors.unsupportedMediaType);
  }
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw new ApiError(coreErrors.unsupportedMediaType);
  }
}

/**
 * The text between semicolons that are not quoted (RFC 9110 §5.6.6). It also matches the empty text at each semicolon.
 */
const PART = /(?:[^;"]|"(?:\\.|[^"\\])*"?)*/g;

/** RFC 8259 §11: JSON has no parameters, and unknown ones have no effect. A charset other than UTF-8 is refused. */
function isJson(contentType: string): boolean {
  // `trim` removes more than HTTP's whitespace, for example a no-break space.
  if (/[^\t\x20-\x7e]/.test(contentType)) return false;
  const parts = contentType.match(PART) ?? [];
  const [type, ...parameters] = parts.map((part) => part.trim().toLowerCase());
  return type === 'application/json' && parameters.every((part) => /^(?!charset\b)|^charset=("?)utf-8\1$/.test(part));
}
