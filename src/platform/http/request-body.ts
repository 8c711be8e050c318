import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, coreErrors } from '../errors/index.js';
import { parseJson } from '../json/index.js';
import { refuseQuery, UnreadBody } from '../validation/index.js';
import { exchangeOf, type IncomingBody } from './exchange.js';
import { headerValues } from './client-fault.js';

export interface BodyOptions {
  readonly limitBytes: number;
  /** Whether a request without one is refused. */
  readonly isRequired: boolean;
  /** Called once it is here, or there is none. */
  readonly arrived: () => void;
}

/** A request's body that nobody has read yet. It is read after the platform's guards have accepted the request. */
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
   * Reads and parses the body, once: media type, then size, then JSON (contract, "Order of checks").
   *
   * @returns undefined where there is none, and need not be.
   * @throws {ApiError} body_required, unsupported_media_type, payload_too_large, invalid_json; unknown_parameter for what
   * the route does not take of the query.
   */
  read(): Promise<unknown> {
    return (this.reading ??= this.readOnce());
  }

  /** Whether the request says that there is one. */
  get isThere(): boolean {
    const { headers } = this.request;
    return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  }

  get mediaType(): string {
    return (this.request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  }

  /**
   * Leaves the bytes to an interceptor of the feature's, such as `FileInterceptor`. Where they are too many the request has
   * an error, as if its connection had failed, which ends what reads it.
   *
   * @throws {ApiError} payload_too_large where the head says so already.
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
    // Whoever counts from the start would have it flow before anybody reads.
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
    // Its time was up (408), and the last byte came after that.
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

  /** A malformed body is too large where so much came before its fault. */
  private requireWellFormed(): void {
    const { bodyFault } = exchangeOf(this.request);
    if (bodyFault === undefined) return;
    throw this.request.readableLength > this.options.limitBytes ? this.tooLarge() : bodyFault;
  }

  /** While the body arrives there is nothing to do for the request. */
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

/** RFC 9110 §10.1.1: HTTP/1.0 knows no 100, and nothing else can be expected. */
function asksToContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue' && httpVersion === '1.1';
}

/** @param contentTypes each that was sent: of several, a proxy may go by another than this service. */
function requireJson(contentTypes: readonly string[], contentEncoding: string | undefined): void {
  const [contentType = '', ...others] = contentTypes;
  if (others.length > 0 || (contentType !== 'application/json' && !isJson(contentType))) {
    throw new ApiError(coreErrors.unsupportedMediaType);
  }
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') {
    throw new ApiError(coreErrors.unsupportedMediaType);
  }
}

/** What stands between semicolons that are not quoted (RFC 9110 §5.6.6), and nothing at each of them. */
const PART = /(?:[^;"]|"(?:\\.|[^"\\])*"?)*/g;

/** RFC 8259 §11: JSON has no parameters, and those that others put there mean nothing. A charset that is wrong does. */
function isJson(contentType: string): boolean {
  // What is blank to `trim` is more than to HTTP: a no-break space.
  if (/[^\t\x20-\x7e]/.test(contentType)) return false;
  const parts = contentType.match(PART) ?? [];
  const [type, ...parameters] = parts.map((part) => part.trim().toLowerCase());
  return type === 'application/json' && parameters.every((part) => /^(?!charset\b)|^charset=("?)utf-8\1$/.test(part));
}
