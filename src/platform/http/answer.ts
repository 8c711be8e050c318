import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ApiError } from '../errors/index.js';
import type { Exchange } from './exchange.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** What leaves the service: complete, and the same however often it is sent. */
export class Answer {
  /**
   * @param status the HTTP status.
   * @param body JSON text; empty for none.
   * @param headers those that belong to this answer itself.
   */
  constructor(
    readonly status: number,
    readonly body: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}
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
  const headers: Record<string, string | number> = { ...exchange.headers, ...answer.headers };
  if (exchange.links.length > 0) headers['Link'] = exchange.links.join(', ');
  headers['Cache-Control'] = 'no-store';
  if (answer.status === 200 && (exchange.method === 'GET' || exchange.method === 'HEAD')) {
    const tag = entityTag(answer.body, headers['Link']);
    headers['Cache-Control'] = 'private, no-cache';
    headers['Vary'] = varyingBy('Authorization', response.getHeader('Vary'));
    headers['ETag'] = tag;
    if (isUnchanged(exchange.request.headers['if-none-match'], tag)) {
      response.writeHead(304, headers).end();
      return;
    }
  }
  const length = Buffer.byteLength(answer.body);
  if (answer.body !== '') headers['Content-Type'] = JSON_TYPE;
  if (answer.status !== 204) headers['Content-Length'] = length;
  response.writeHead(answer.status, headers);
  response.end(exchange.method === 'HEAD' ? undefined : answer.body);
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

/** A strong entity tag over everything that a page is: its body and its Link (RFC 9110 §8.8.3). */
function entityTag(body: string, link: string | number | undefined): string {
  return `"${hash('sha1', link === undefined ? body : `${link}\n${body}`, 'base64url')}"`;
}

/** If-None-Match compares weakly (RFC 9110 §13.1.2): `W/"x"` matches `"x"`. */
function isUnchanged(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}
