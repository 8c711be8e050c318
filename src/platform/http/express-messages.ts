import type { Express } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import { exchangeOf, type Exchange } from './exchange.js';
import { endPipeline } from './connection.js';

/** What Node reads off a head as it writes it. */
interface WrittenHead {
  /** False for HEAD, 204 and 304. */
  readonly _hasBody: boolean;
  /** What Content-Length says, be it a handler's or Node's own; null where there is none. */
  readonly _contentLength: number | null;
}

/** Bytes of a response's body, whoever made it; undefined where its head does not say, as that of a stream. */
export function bodyBytes(response: ServerResponse): number | undefined {
  const { _hasBody, _contentLength: length } = response as unknown as WrittenHead;
  if (!response.headersSent || !_hasBody) return 0;
  // Node takes any text for a length.
  return length !== null && Number.isInteger(length) ? length : undefined;
}

/** What `expressMessages` makes of a response. */
type OwnResponse = ServerResponse & {
  /** True where the head that is about to be written has all of `headOfAll`, so that it need not be set one by one. */
  isComplete: boolean;
};

/** What every answer carries: names and values in turn, a new list each time. */
export function headOfAll(requestId: string): string[] {
  return ['X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff'];
}

/** @param head names and values in turn, with all of `headOfAll`. */
export function writeWholeHead(response: ServerResponse, status: number, head: string[]): void {
  (response as OwnResponse).isComplete = true;
  response.writeHead(status, head);
}

/** What the platform's steps put on an answer that is not its own: a stream's, a redirect, what a handler sends itself. */
function completeHead(response: ServerResponse, exchange: Exchange): void {
  exchange.workload?.rest(exchange);
  for (const [name, value] of Object.entries(exchange.headers)) {
    if (!response.hasHeader(name)) response.setHeader(name, value);
  }
  for (const link of exchange.links) response.appendHeader('Link', link);
  if (exchange.route !== undefined && !response.hasHeader('Cache-Control')) {
    response.setHeader('Cache-Control', 'no-store');
  }
}

/**
 * The classes of requests and responses for Node's server to make, one application's own. They have Express's methods
 * from birth: Express would change the prototype of each, after which every access to it is slower.
 */
export function expressMessages(application: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class ExpressRequest extends IncomingMessage {}

  /** Carries what every answer carries, whoever writes its head: this service, Express, a feature. */
  class ExpressResponse extends ServerResponse implements OwnResponse {
    isComplete = false;
    /** Node's own: whether the head that was written says `Connection: close`, whoever wanted it. */
    declare _last: boolean;

    override writeHead(...head: unknown[]): this {
      if (!this.isComplete) {
        this.isComplete = true;
        const exchange = exchangeOf(this.req);
        const own = headOfAll(exchange.id);
        for (let at = 0; at < own.length; at += 2) this.setHeader(own[at] as string, own[at + 1] as string);
        completeHead(this, exchange);
      }
      // Node sets it before the head is written where the client sends no more. More may follow: an Error.
      this._last = false;
      (super.writeHead as (...head: unknown[]) => this)(...head);
      if (this.isLast) endPipeline(this);
      return this;
    }

    private get isLast(): boolean {
      return this._last;
    }
  }

  Object.setPrototypeOf(ExpressRequest.prototype, application.request);
  Object.setPrototypeOf(ExpressResponse.prototype, application.response);
  application.request = ExpressRequest.prototype as unknown as typeof application.request;
  application.response = ExpressResponse.prototype as unknown as typeof application.response;
  return {
    IncomingMessage: ExpressRequest,
    ServerResponse: ExpressResponse as unknown as typeof ServerResponse,
  };
}
