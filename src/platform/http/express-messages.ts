import type { Express } from 'express';
import { IncomingMessage, ServerResponse } from 'node:http';
import { exchangeOf, type Exchange } from './exchange.js';
import { endPipeline } from './connection.js';

/** Fields that Node sets when it writes a head. */
interface WrittenHead {
  /** False for HEAD, 204 and 304. */
  readonly _hasBody: boolean;
  /** The Content-Length, from a handler or from Node; null if there is none. */
  readonly _contentLength: number | null;
}

/** The bytes of a response's body; undefined if its head does not give them, as for a stream. */
export function bodyBytes(response: ServerResponse): number | undefined {
  const { _hasBody, _contentLength: length } = response as unknown as WrittenHead;
  if (!response.headersSent || !_hasBody) return 0;
  // Node accepts any text as a length.
  return length !== null && Number.isInteger(length) ? length : undefined;
}

/** A response of the class from `expressMessages`. */
type OwnResponse = ServerResponse & {
  /** True if the next head has all of `headOfAll`, so that the headers need not be set one by one. */
  isComplete: boolean;
};

/** The headers of every answer: names and values in turn, a new list each time. */
export function headOfAll(requestId: string): string[] {
  return ['X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff'];
}

/** @param head names and values in turn, with all of `headOfAll`. */
export function writeWholeHead(response: ServerResponse, status: number, head: string[]): void {
  (response as OwnResponse).isComplete = true;
  response.writeHead(status, head);
}

/**
 * Adds the headers of the exchange to an answer that the platform does not write: a stream, a redirect, or a handler's
 * own.
 */
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
 * The classes of requests and responses for the server of one application. They have Express's methods from the start.
 * Express would change the prototype of each object, after which every access to it is slower.
 */
export function expressMessages(application: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse;
} {
  class ExpressRequest extends IncomingMessage {}

  /** Adds the headers of every answer, whether this service, Express or a feature writes the head. */
  class ExpressResponse extends ServerResponse implements OwnResponse {
    isComplete = false;
    /** Node's own: whether the written head has `Connection: close`, whether Node or a header asked for it. */
    declare _last: boolean;

    override writeHead(...head: unknown[]): this {
      if (!this.isComplete) {
        this.isComplete = true;
        const exchange = exchangeOf(this.req);
        const own = headOfAll(exchange.id);
        for (let at = 0; at < own.length; at += 2) this.setHeader(own[at] as string, own[at + 1] as string);
        completeHead(this, exchange);
      }
      // Node also sets it before the head is written, if the client has ended its side. But an Error may follow.
      if (!this.headersSent) this._last = false;
      (super.writeHead as (...head: unknown[]) => this)(...head);
      if (this.isLast) endPipeline(this);
      return this;
    }

    /** `super.writeHead` may have set it, but TypeScript assumes that it is still false. */
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
