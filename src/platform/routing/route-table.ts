import { match, type MatchFunction } from 'path-to-regexp';
import type { Type } from '@nestjs/common';
import type { Route } from './route.js';

/** Express matches paths with these options: exact trailing slash, exact case. Values stay encoded. */
export const AS_EXPRESS = { trailing: false, sensitive: true, decode: false } as const;

/** Every operation of every feature. The table is filled at start, and only read after that. */
export class RouteTable {
  private readonly routes: Route[] = [];
  private readonly byHandler = new Map<Type, Map<unknown, Route>>();
  private readonly byPath = new Map<string, { matches: MatchFunction<object>; routes: Route[] }>();

  add(route: Route): void {
    this.routes.push(route);
    const handlers = this.byHandler.get(route.controller) ?? new Map<unknown, Route>();
    this.byHandler.set(route.controller, handlers.set(route.handler, route));
    const known = this.byPath.get(route.path);
    if (known) known.routes.push(route);
    else this.byPath.set(route.path, { matches: match(expressPath(route.path), AS_EXPRESS), routes: [route] });
  }

  all(): readonly Route[] {
    return this.routes;
  }

  ofHandler(controller: Type, handler: unknown): Route | undefined {
    return this.byHandler.get(controller)?.get(handler);
  }

  ofOperation(operationId: string): Route | undefined {
    return this.routes.find((route) => route.operationId === operationId);
  }

  /** The operations at a path such as `/v1/pets/7`, for all methods; empty if there are none. */
  atPath(path: string): readonly Route[] {
    for (const { matches, routes } of this.byPath.values()) if (matches(path)) return routes;
    return [];
  }

  /**
   * The path template that a client may have meant by a path without a route. It tries lower case, single slashes, no
   * trailing slash, and the prefix `/v1`.
   */
  pathNear(path: string): string | undefined {
    const guess = path
      .toLowerCase()
      .replace(/\/{2,}/g, '/')
      .replace(/\/$/, '');
    const [near] = [guess, `/v1${guess}`].flatMap((candidate) => this.atPath(candidate));
    return near?.path;
  }
}

/** A route's path in the syntax of Express: `/v1/pets/{petId}` → `/v1/pets/:petId` */
export function expressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}

/** The absolute addresses for clients. They come from the configured public base URL, never from a Host header. */
export class PublicUrls {
  private listeningBase = 'http://localhost/v1';

  /** @param configuredBase PUBLIC_BASE_URL: absolute, ends in `/v1`; undefined if it is not configured. */
  constructor(private readonly configuredBase: string | undefined) {}

  /** Must be called when the port is known. Without PUBLIC_BASE_URL the base is `http://localhost:PORT/v1`. */
  listeningOn(port: number): void {
    this.listeningBase = `http://localhost:${port}/v1`;
  }

  /** The base URL. It ends in `/v1`, without a trailing slash. */
  get base(): string {
    return this.configuredBase ?? this.listeningBase;
  }

  /** The address of the Swagger UI page. */
  get docs(): string {
    return `${this.base.slice(0, -'/v1'.length)}/docs`;
  }

  /** The address of a route's path: `/v1/pets` → `BASE/pets`. */
  of(path: string): string {
    return this.base + path.slice('/v1'.length);
  }
}
