import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { jsonBytes, type Bytes } from '../json/index.js';
import { isOptimized } from '../optimizations.js';
import { nextLink, Page } from '../pagination/index.js';
import { Deprecations, JSON_MEDIA, PublicUrls, RouteTable, type Location, type Route } from '../routing/index.js';
import { Answer, sendAnswer } from './answer.js';
import type { Exchange } from './exchange.js';

const WRITTEN = Symbol('animal-store:written');

/**
 * A page as it was answered once. The page itself has it: what a WeakMap has for a young key outlives that key, until
 * the next full collection.
 */
interface WrittenPage {
  readonly query: string;
  readonly route: Route | undefined;
  readonly link: string | undefined;
  readonly answer: Answer;
}

type Carrier = Page<unknown> & { [WRITTEN]?: WrittenPage };

/** Turns what a handler returns into what leaves the service, and sends it. */
@Injectable()
export class Responder {
  constructor(
    private readonly urls: PublicUrls,
    private readonly routes: RouteTable,
    private readonly deprecations: Deprecations,
  ) {}

  /** Sends a handler's result; an `Answer` goes out as it is. */
  send(exchange: Exchange, response: ServerResponse, result: unknown, status: number): void {
    const answer = result instanceof Answer ? result : otherMediaAnswer(exchange, response, result, status);
    sendAnswer(exchange, response, answer ?? this.answer(exchange, result, status));
  }

  /** The answer that a handler's result makes: exact JSON, with `Link` for a page and `Location` for something made. */
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

  /** Requests with the same query that share a page share its bytes, its entity tag and its Link. */
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
 * The answer of a handler whose `Content-Type`, or else what its operation produces, is not JSON: its text or its bytes as
 * they are.
 *
 * @returns undefined where the result goes out as JSON.
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
  if (typeof result === 'string') return new Answer(status, latin1Bytes(Buffer.from(result)), {}, withCharset(type));
  if (result instanceof Uint8Array) return new Answer(status, latin1Bytes(Buffer.from(result)), {}, type);
  if (given === undefined || typeof result !== 'object' || result === null) return undefined;
  return new Answer(status, jsonBytes(result), {}, withCharset(type));
}

const latin1Bytes = (buffer: Buffer): Bytes => buffer.toString('latin1') as Bytes;

/** Adds the charset that Express adds to every text. */
function withCharset(type: string): string {
  return !/;\s*charset=/i.test(type) ? `${type}; charset=utf-8` : type;
}
