import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ApiError } from '../errors/index.js';
import { jsonBytes, type Bytes } from '../json/index.js';
import type { Exchange } from './exchange.js';
import { headOfAll, writeWholeHead } from './express-messages.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** What leaves the service: complete, and the same however often it is sent. */
export class Answer {
  private tagged: { readonly link: string | undefined; readonly tag: string } | undefined;

  /**
   * @param status the HTTP status.
   * @param bytes the body; empty for none.
   * @param headers those that belong to this answer itself.
   * @param contentType of the body.
   */
  constructor(
    readonly status: number,
    readonly bytes: Bytes | '',
    readonly headers: Readonly<Record<string, string>> = {},
    readonly contentType = JSON_TYPE,
  ) {}

  /** A strong entity tag over everything that a page is: its body and its Link (RFC 9110 §8.8.3). */
  tag(link: string | undefined): string {
    if (this.tagged === undefined || this.tagged.link !== link) {
      const text = link === undefined ? this.bytes : `${link}\n${this.bytes}`;
      this.tagged = { link, tag: `"${hash('sha1', text, 'base64url')}"` };
    }
    return this.tagged.tag;
  }
}

/** The Error body: exactly `code`, `message`, `status` (interface §2). */
export function errorBody(error: ApiError): Bytes {
  return jsonBytes({ code: error.code, message: error.message, status: error.status });
}

export function errorAnswer(error: ApiError): Answer {
  return new Answer(error.status, errorBody(error), error.headers);
}

/** Sends an answer with everything that the contract puts on it: caching, validators, links. Does nothing twice. */
export function sendAnswer(exchange: Exchange, response: ServerResponse, answer: Answer): void {
  exchange.workload?.rest(exchange);
  if (response.headersSent || response.destroyed) return;
  exchange.location = answer.headers['Location'];
  const link = exchange.links.length > 0 ? exchange.links.join(', ') : undefined;
  const isTagged = answer.status === 200 && (exchange.method === 'GET' || exchange.method === 'HEAD');
  // Names and values in turn, which Node takes as they are.
  const own = cacheControlOf(response, answer.status, isTagged);
  if (link !== undefined) own.push('Link', link);
  if (isTagged) {
    const tag = ownTag(response) ?? answer.tag(link);
    own.push('Vary', varyingBy('Authorization', response.getHeader('Vary')), 'ETag', tag);
    if (isUnchanged(exchange.request.headers['if-none-match'], tag)) {
      writeWholeHead(response, 304, headOf(exchange, answer, own));
      response.end();
      return;
    }
  }
  sendWhole(exchange, response, answer, own);
}

const OF_A_SUCCESS = ['Cache-Control', 'Content-Disposition', 'Content-Encoding', 'ETag', 'Expires', 'Last-Modified'];

/** What a handler says about caching stays. What it says of a success is not true of a failure. */
function cacheControlOf(response: ServerResponse, status: number, isTagged: boolean): string[] {
  if (status >= 400) for (const name of OF_A_SUCCESS) response.removeHeader(name);
  if (response.hasHeader('Cache-Control')) return [];
  return ['Cache-Control', isTagged ? 'private, no-cache' : 'no-store'];
}

function ownTag(response: ServerResponse): string | undefined {
  const tag = response.getHeader('ETag');
  return typeof tag === 'string' ? tag : undefined;
}

function sendWhole(exchange: Exchange, response: ServerResponse, answer: Answer, own: string[]): void {
  const { status, bytes } = answer;
  if (bytes.length > 0) own.push('Content-Type', answer.contentType);
  if (status !== 204) own.push('Content-Length', String(bytes.length));
  writeWholeHead(response, status, headOf(exchange, answer, own));
  response.end(exchange.method === 'HEAD' ? '' : bytes, 'latin1');
}

/**
 * What every answer carries, then what the steps of its way put on the exchange, then what the answer itself has, as far as
 * `own` does not say it, then that.
 */
function headOf(exchange: Exchange, answer: Answer, own: readonly string[]): string[] {
  const head = headOfAll(exchange.id);
  for (const name of Object.keys(exchange.headers)) {
    if (!Object.hasOwn(answer.headers, name)) head.push(name, exchange.headers[name] as string);
  }
  for (const name of Object.keys(answer.headers)) {
    if (!own.includes(name)) head.push(name, answer.headers[name] as string);
  }
  head.push(...own);
  return head;
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
