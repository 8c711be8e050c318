import type { Express, Request, Response } from 'express';
import { match, type MatchFunction } from 'path-to-regexp';
import { AS_EXPRESS, expressPath } from '../routing/index.js';
import type { PlainHandler } from './plain-handler.js';

/** One method at one path, in the syntax of Express. */
interface Place {
  readonly method: string;
  readonly path: string;
}

interface DirectRoute extends Place {
  readonly matches: MatchFunction<object>;
  readonly handler: PlainHandler;
}

/**
 * The part of Express's router (`router` 2) that is read here: its layers, in the order in which Express tries them.
 */
interface Layer {
  readonly handle: { readonly stack?: readonly Layer[] };
  readonly slash: boolean;
  readonly route?: { readonly path: unknown; readonly stack: readonly { method?: string }[] };
}

/** `/a/b/:c`: constant segments and whole parameters. Most paths of Nest controllers are of this form. */
const PLAIN_PATH = /^(?:\/(?::\w+|[\w.~-]+))+$/;

/**
 * Finds the plain handler that Express would reach first, without a walk through all of Express's layers. The list ends
 * at the first layer that may match any request: a middleware, a router of another kind, or a route for all methods.
 * Express handles every route after that layer, and every path with an escape. It also handles a route if another layer
 * may match the same path, because a middleware for one method looks like a route.
 */
export class DirectRoutes {
  private byMethod = new Map<string, DirectRoute[]>();
  private known = -1;
  private plain = new Map<string, PlainHandler>();

  /** @param passed the number of layers at the beginning that do nothing. */
  constructor(
    private readonly application: Express,
    private readonly passed: number,
  ) {}

  /** Adds the handlers that may be called without Nest. */
  addPlain(handlers: readonly PlainHandler[]): void {
    for (const handler of handlers) {
      this.plain.set(`${handler.route.method} ${expressPath(handler.route.path)}`, handler);
    }
  }

  /** Passes a request to its handler. Returns false if Express must handle it. */
  dispatch(request: Request, response: Response): boolean {
    const { url } = request;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    if (path.includes('%')) return false;
    const layers = this.application.router.stack as unknown as readonly Layer[];
    if (layers.length !== this.known) this.read(layers);
    for (const route of this.byMethod.get(request.method) ?? []) {
      const found = route.matches(path);
      if (found === false) continue;
      // With this header Nest must call the idempotency interceptor.
      if (route.handler.route.idempotent === true && request.headers['idempotency-key'] !== undefined) return false;
      void route.handler.handle(request, response, found.params);
      return true;
    }
    return false;
  }

  private read(layers: readonly Layer[]): void {
    this.known = layers.length;
    const { before, behind, aside } = placesIn(layers.slice(this.passed));
    const direct = before.flatMap((place) => {
      const handler = this.plain.get(`${place.method} ${place.path}`);
      const others = [...before, ...behind].filter((other) => other !== place && other.method === place.method);
      const shared = [...others.map(({ path }) => path), ...aside].some((path) => mayMeet(path, place.path));
      return handler === undefined || shared ? [] : [{ ...place, matches: match(place.path, AS_EXPRESS), handler }];
    });
    this.byMethod = Map.groupBy(direct, ({ method }) => method);
  }
}

/**
 * The places before the first layer that may match any request, and the places after it. `aside` has the paths of the
 * routers among the layers.
 */
function placesIn(layers: readonly Layer[]): { before: Place[]; behind: Place[]; aside: string[] } {
  const aside: string[] = [];
  const [before, behind]: [Place[], Place[]] = [[], []];
  let places = before;
  for (const { route, handle, slash } of layers) {
    const own = asideOf(handle, slash);
    const place = route === undefined ? undefined : placeOf(route);
    if (own !== undefined) aside.push(...own);
    else if (place !== undefined) places.push(place);
    else places = behind;
  }
  return { before, behind, aside };
}

function placeOf({ path, stack }: NonNullable<Layer['route']>): Place | undefined {
  const [only] = stack;
  const isPlain = typeof path === 'string' && PLAIN_PATH.test(path) && stack.length === 1;
  if (!isPlain || only?.method === undefined) return undefined;
  return { method: only.method.toUpperCase(), path };
}

/** Whether one request path can match both paths. */
function mayMeet(one: string, other: string): boolean {
  const [ones, others] = [one.split('/'), other.split('/')];
  return (
    ones.length === others.length &&
    ones.every(
      (segment, at) => segment === others[at] || segment.startsWith(':') || (others[at] as string).startsWith(':'),
    )
  );
}

/** The paths of a router that has only constant paths, such as `/docs`; undefined for any other layer. */
function asideOf({ stack }: Layer['handle'], slash: boolean): string[] | undefined {
  if (!slash || stack === undefined) return undefined;
  const paths = stack.map(({ route }) => route?.path);
  return paths.every((path) => typeof path === 'string' && !/[:*{]/.test(path)) ? (paths as string[]) : undefined;
}
