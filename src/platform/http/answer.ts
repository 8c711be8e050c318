import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { ApiError } from '../errors/index.js';
import { bytesOf, jsonBytes, type Bytes } from '../json/index.js';
import { isOptimized } from '../optimizations.js';
import { nextLink, Page } from '../pagination.js';
import { Deprecations, JSON_MEDIA, PublicUrls, RouteTable, type Location, type Route } from '../routing/index.js';
import type { Exchange } from './exchange.js';
import { headOfAll, writeWholeHead } from './express-messages.js';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A complete response. It may be sent more than once, and is the same each time. */
export class Answer {
  private tagged: { readonly link: string | undefined; readonly tag: string } | undefined;

  /**
   * @param status the HTTP status.
   * @param bytes the body; empty for none.
   * @param headers the headers of this answer alone.
   * @param contentType of the body.
   */
  constructor(
    readonly status: number,
    readonly bytes: Bytes | '',
    readonly headers: Readonly<Record<string, string>> = {},
    readonly contentType = JSON_TYPE,
  ) {}

  /** A strong entity tag for the body and the Link header together (RFC 9110 §8.8.3). */
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

/**
 * Sends an answer with all headers of the contract: caching, validators, links. Sends nothing if the response has
 * begun.
 */
export function sendAnswer(exchange: Exchange, response: ServerResponse, answer: Answer): void {
  exchange.workload?.rest(exchange);
  if (response.headersSent || response.destroyed) return;
  exchange.location = answer.headers['Location'];
  const link = exchange.links.length > 0 ? exchange.links.join(', ') : undefined;
  const isTagged = answer.status === 200 && (exchange.method === 'GET' || exchange.method === 'HEAD');
  // Names and values in turn, as `writeHead` accepts them.
  const own = cacheControlOf(response, answer.status, isTagged);
  if (link !== undefined) own.push('Link', link);
  if (isTagged) {
    const given = response.getHeader('ETag');
    const tag = typeof given === 'string' ? given : answer.tag(link);
    // CORS may have set `Vary: Origin`.
    const vary = response.getHeader('Vary');
    own.push('Vary', vary === undefined ? 'Authorization' : `${[vary].flat().join(', ')}, Authorization`, 'ETag', tag);
    if (isUnchanged(exchange.request.headers['if-none-match'], tag)) {
      writeWholeHead(response, 304, headOf(exchange, answer, own));
      response.end();
      return;
    }
  }
  sendWhole(exchange, response, answer, own);
}

const OF_A_SUCCESS = ['Cache-Control', 'Content-Disposition', 'Content-Encoding', 'ETag', 'Expires', 'Last-Modified'];

/** Keeps a handler's `Cache-Control`. An error loses the headers that the handler set for a success. */
function cacheControlOf(response: ServerResponse, status: number, isTagged: boolean): string[] {
  if (status >= 400) for (const name of OF_A_SUCCESS) response.removeHeader(name);
  if (response.hasHeader('Cache-Control')) return [];
  return ['Cache-Control', isTagged ? 'private, no-cache' : 'no-store'];
}

function sendWhole(exchange: Exchange, response: ServerResponse, answer: Answer, own: string[]): void {
  const { status, bytes } = answer;
  if (bytes.length > 0) own.push('Content-Type', answer.contentType);
  if (status !== 204) own.push('Content-Length', String(bytes.length));
  writeWholeHead(response, status, headOf(exchange, answer, own));
  response.end(exchange.method === 'HEAD' ? '' : bytes, 'latin1');
}

/**
 * The headers of every answer, of the exchange, of the answer, and `own`. A header of the answer replaces the same one
 * of the exchange. One in `own` replaces the same one of the answer.
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

/** Answers a request with an error, without processing it further, and closes its connection. */
export function refuseExchange(exchange: Exchange, response: ServerResponse, fault: ApiError): void {
  exchange.failure = fault;
  exchange.headers['Connection'] = 'close';
  sendAnswer(exchange, response, errorAnswer(fault));
}

/**
 * Refuses a request whose body is malformed, if something waits for the body. Before that, the guards decide first
 * (contract, "Order of checks"). A handler that runs without the body answers. The connection closes in each case.
 */
export function refuseBody(exchange: Exchange, fault: ApiError): void {
  exchange.bodyFault = fault;
  exchange.headers['Connection'] = 'close';
  if (exchange.waitsForBody) refuseExchange(exchange, exchange.response, fault);
}

/** If-None-Match compares weakly (RFC 9110 §13.1.2): `W/"x"` matches `"x"`. */
function isUnchanged(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag);
}

const WRITTEN = Symbol('animal-store:written');

/**
 * A page as it was sent before. It is stored on the page itself. A WeakMap would keep it after the page is gone, until
 * the next full collection.
 */
interface WrittenPage {
  readonly query: string;
  readonly route: Route | undefined;
  readonly link: string | undefined;
  readonly answer: Answer;
}

type Carrier = Page<unknown> & { [WRITTEN]?: WrittenPage };

/** Turns the result of a handler into an answer, and sends it. */
@Injectable()
export class Responder {
  constructor(
    private readonly urls: PublicUrls,
    private readonly routes: RouteTable,
    private readonly deprecations: Deprecations,
  ) {}

  /** Sends a handler's result. An `Answer` is sent unchanged. */
  send(exchange: Exchange, response: ServerResponse, result: unknown, status: number): void {
    const answer = result instanceof Answer ? result : otherMediaAnswer(exchange, response, result, status);
    sendAnswer(exchange, response, answer ?? this.answer(exchange, result, status));
  }

  /** The answer for a handler's result: exact JSON, with `Link` for a page and `Location` for a created resource. */
  answer(exchange: Exchange, result: unknown, status: number): Answer {
    const { route } = exchange;
    if (result instanceof Page) return this.page(exchange, result, status);
    const headers: Record<string, string> = {};
    if (route?.located !== undefined && status === 201) {
      const location = this.locate(route.located, result as Record<string, unknown>);
      if (location !== undefined) headers['Location'] = location;
    }
    return new Answer(status, result === undefined || result === null ? '' : jsonBytes(result), headers);
  }

  /** Requests for the same page with the same query share its bytes, its entity tag and its Link. */
  private page(exchange: Exchange, page: Carrier, status: number): Answer {
    const { effectiveQuery: asked, route } = exchange;
    let written = page[WRITTEN];
    if (written?.query !== asked || written.route !== route || written.answer.status !== status) {
      const link =
        route === undefined || page.nextCursor === undefined
          ? undefined
          : nextLink(this.urls.of(route.path), exchange.query, page.nextCursor);
      written = { query: asked, route, link, answer: new Answer(status, jsonBytes(page.items)) };
      if (isOptimized('shared-pages')) page[WRITTEN] = written;
    }
    if (written.link !== undefined) exchange.links.push(written.link);
    return written.answer;
  }

  private locate({ operationId, parameters }: Location, body: Record<string, unknown>): string | undefined {
    const target = this.routes.ofOperation(operationId);
    if (target === undefined || this.deprecations.isRemoved(target)) return undefined;
    const path = target.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      return encodeURIComponent(String(body[parameters[name] ?? name]));
    });
    return this.urls.of(path);
  }
}

/**
 * The answer for a result whose media type is not JSON: the handler's `Content-Type`, or else the first one that its
 * operation produces. Text and bytes are sent unchanged.
 *
 * @returns undefined if the result is sent as JSON.
 */
function otherMediaAnswer(
  { route }: Exchange,
  response: ServerResponse,
  result: unknown,
  status: number,
): Answer | undefined {
  const given = response.getHeader('Content-Type');
  const type = typeof given === 'string' ? given : route?.produces[0];
  if (type === undefined || type.startsWith(JSON_MEDIA)) return undefined;
  if (typeof result === 'string') return new Answer(status, bytesOf(result), {}, withCharset(type));
  if (result instanceof Uint8Array) return new Answer(status, bytesOf(result), {}, type);
  if (given === undefined || typeof result !== 'object' || result === null) return undefined;
  return new Answer(status, jsonBytes(result), {}, withCharset(type));
}

/** Adds the charset that Express adds to every text. */
function withCharset(type: string): string {
  return !/;\s*charset=/i.test(type) ? `${type}; charset=utf-8` : type;
}
