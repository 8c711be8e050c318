import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ApiError } from '../errors/index.js';
import type { Exchange } from './exchange.js';
import { headersOfAll, writeWholeHead } from './express-messages.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** What leaves the service: complete, and the same however often it is sent. */
export class Answer {
  /** Bytes of the body. */
  readonly length: number;
  private tagged: { readonly link: string | undefined; readonly tag: string } | undefined;

  /**
   * @param status the HTTP status.
   * @param body JSON text; empty for none.
   * @param headers those that belong to this answer itself.
   */
  constructor(
    readonly status: number,
    readonly body: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.length = Buffer.byteLength(body);
  }

  /** A strong entity tag over everything that a page is: its body and its Link (RFC 9110 §8.8.3). */
  tag(link: string | undefined): string {
    if (this.tagged === undefined || this.tagged.link !== link) {
      const text = link === undefined ? this.body : `${link}\n${this.body}`;
      this.tagged = { link, tag: `"${hash('sha1', text, 'base64url')}"` };
    }
    return this.tagged.tag;
  }
}

/** The Error body: exactly `code`, `message`, `status` (interface §2). */
export function errorBody(error: ApiError): string {
  return JSON.stringify({ code: error.code, message: error.message, status: error.status });
}

export function errorAnswer(error: ApiError): Answer {
  return new Answer(error.status, errorBody(error), error.headers);
}

/** Sends an answer with everything that the contract puts on it: caching, validators, links. Does nothing twice. */
export function sendAnswer(exchange: Exchange, response: ServerResponse, answer: Answer): void {
  exchange.workload?.rest(exchange);
  if (response.headersSent || response.destroyed) return;
  const headers: Record<string, string | number> = {
    ...headersOfAll(exchange.id),
    ...exchange.headers,
    ...answer.headers,
    'Cache-Control': 'no-store',
  };
  const link = exchange.links.length > 0 ? exchange.links.join(', ') : undefined;
  if (link !== undefined) headers['Link'] = link;
  if (answer.status === 200 && (exchange.method === 'GET' || exchange.method === 'HEAD')) {
    const tag = answer.tag(link);
    headers['Cache-Control'] = 'private, no-cache';
    headers['Vary'] = varyingBy('Authorization', response.getHeader('Vary'));
    headers['ETag'] = tag;
    if (isUnchanged(exchange.request.headers['if-none-match'], tag)) {
      writeWholeHead(response, 304, headers);
      response.end();
      return;
    }
  }
  sendWhole(exchange, response, answer, headers);
}

function sendWhole(
  exchange: Exchange,
  response: ServerResponse,
  { status, body, length }: Answer,
  headers: Record<string, string | number>,
): void {
  if (body !== '') headers['Content-Type'] = JSON_TYPE;
  if (status !== 204) headers['Content-Length'] = exchange.bytes = length;
  writeWholeHead(response, status, headers);
  if (exchange.method === 'HEAD') response.end();
  // Text that is ASCII goes to the socket as it is.
  else response.end(body, length === body.length ? 'latin1' : 'utf8');
}

/** Answers a request that is not looked at any further, and closes its connection. */
export function refuseExchange(exchange: Exchange, response: ServerResponse, fault: ApiError): void {
  exchange.failure = fault;
  exchange.headers['Connection'] = 'close';
  sendAnswer(exchange, response, errorAnswer(fault));
}

/** Adds a name to Vary, where CORS has put `Origin`. */
function varyingBy(name: string, already: number | string | readonly string[] | undefined): string {
  return already === undefined ? name : `${[already].flat().join(', ')}, ${name}`;
}

/** If-None-Match compares weakly (RFC 9110 §13.1.2): `W/"x"` matches `"x"`. */
function isUnchanged(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}
