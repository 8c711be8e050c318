import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, coreErrors } from '../errors/index.js';
import { parseJson } from '../json/index.js';
import { refuseQuery, UnreadBody } from '../validation/index.js';
import { exchangeOf, type Exchange } from './exchange.js';
import { headerValues } from './header-values.js';

/** A request's body that nobody has read yet. It is read only when a handler asks for it, so after the guards. */
export class RequestBody extends UnreadBody {
  private reading: Promise<unknown> | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
    private readonly limitBytes: number,
    private readonly arrived: () => void,
  ) {
    super();
  }

  /**
   * Reads and parses the body, once: media type, then size, then JSON (contract, "Order of checks").
   *
   * @throws {ApiError} body_required, unsupported_media_type, payload_too_large, invalid_json; unknown_parameter where
   * the route declares no query.
   */
  read(): Promise<unknown> {
    return (this.reading ??= this.readOnce());
  }

  private async readOnce(): Promise<unknown> {
    this.requireAcceptable();
    if (asksToContinue(this.request)) this.response.writeContinue();
    const exchange = exchangeOf(this.request);
    const bytes = await this.receive(exchange);
    if (bytes.length === 0) throw new ApiError(coreErrors.bodyRequired);
    const value = parseJson(bytes);
    if (exchange.route?.hasQuery === false) refuseQuery(exchange.query);
    return value;
  }

  /** By what the head says of the body. */
  private requireAcceptable(): void {
    const { headers, rawHeaders } = this.request;
    const declared = headers['content-length'];
    const chunked = headers['transfer-encoding'] !== undefined;
    if (!chunked && (declared === undefined || Number(declared) === 0)) throw new ApiError(coreErrors.bodyRequired);
    requireJson(headerValues(rawHeaders, 'content-type'), headers['content-encoding']);
    if (declared !== undefined && Number(declared) > this.limitBytes) throw this.tooLarge();
  }

  /** While the body arrives there is nothing to do for the request. */
  private async receive(exchange: Exchange): Promise<Uint8Array> {
    exchange.workload?.rest(exchange);
    const bytes = await this.collect();
    // Its time was up (408), and the last byte came after that.
    if (this.response.headersSent || exchange.isOver) throw notWhole();
    exchange.workload?.take(exchange);
    this.arrived();
    return bytes;
  }

  private collect(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let length = 0;
      this.request.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= this.limitBytes) chunks.push(chunk);
        else reject(this.tooLarge());
      });
      this.request.on('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
      this.request.on('error', () => reject(notWhole()));
    });
  }

  private tooLarge(): ApiError {
    return new ApiError(coreErrors.payloadTooLarge, `The request body may have at most ${this.limitBytes} bytes.`);
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
