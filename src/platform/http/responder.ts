import { Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { Deprecations } from '../deprecation/index.js';
import { stringifyJson } from '../json/index.js';
import { nextLink, Page } from '../pagination/index.js';
import { PublicUrls, RouteTable, type Location } from '../routing/index.js';
import { Answer, sendAnswer } from './answer.js';
import type { Exchange } from './exchange.js';

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
    sendAnswer(exchange, response, result instanceof Answer ? result : this.answer(exchange, result, status));
  }

  /** The answer that a handler's result makes: exact JSON, with `Link` for a page and `Location` for something made. */
  answer(exchange: Exchange, result: unknown, status: number): Answer {
    const headers: Record<string, string> = {};
    const { route } = exchange;
    if (result instanceof Page) {
      if (route !== undefined && result.nextCursor !== undefined) {
        exchange.links.push(nextLink(this.urls.of(route.path), exchange.query, result.nextCursor));
      }
      return new Answer(status, stringifyJson(result.items), headers);
    }
    if (route?.located !== undefined && status === 201) {
      const location = this.locate(route.located, result as Record<string, unknown>);
      if (location !== undefined) headers['Location'] = location;
    }
    return new Answer(status, result === undefined || result === null ? '' : stringifyJson(result), headers);
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
