import type { Express, NextFunction, Request, Response } from 'express';
import type { PlainHandler } from './plain-handler.js';

type Handler = (request: Request, response: Response, next: NextFunction) => unknown;

/** A route that Express would come to without anything before it. */
interface DirectRoute {
  readonly path: string;
  readonly names: readonly string[];
  /** Undefined for a path without parameters. */
  readonly pattern: RegExp | undefined;
  readonly handle: Handler;
  /** Instead of `handle`, where the handler has nothing of Nest's around it. */
  readonly plain: PlainHandler | undefined;
}

/** What is read of Express's router (`router` 2): its layers in the order in which it tries them. */
interface Layer {
  readonly name: string;
  readonly handle: Handler & { readonly stack?: readonly Layer[] };
  readonly slash: boolean;
  readonly route?: { readonly path: unknown; readonly stack: readonly { method?: string; handle: Handler }[] };
}

/** `/a/b/:c`: constant segments and whole parameters, which is what Nest's controllers mostly have. */
const PLAIN_PATH = /^(?:\/(?::\w+|[\w.~-]+))+$/;

/**
 * Express's own routes by method, for those that it would come to without anything before them, so that finding one is no
 * walk through all of Express's layers. Whatever else there is, a middleware, a router of another kind, a
 * route for all methods, ends the list: what stands behind it goes through Express, as does every path with an escape.
 */
export class DirectRoutes {
  private byMethod = new Map<string, DirectRoute[]>();
  private known = -1;
  private plain = new Map<string, PlainHandler>();

  /** @param passed how many layers at the beginning do nothing. */
  constructor(
    private readonly application: Express,
    private readonly passed: number,
  ) {}

  /** Handlers that need not be called by way of Nest. */
  addPlain(handlers: readonly PlainHandler[]): void {
    for (const handler of handlers) {
      this.plain.set(`${handler.route.method} ${handler.route.path.replace(/\{(\w+)\}/g, ':$1')}`, handler);
    }
  }

  /** Takes a request to its handler; false where that is for Express to do. */
  dispatch(request: Request, response: Response, next: NextFunction): boolean {
    const { url } = request;
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const layers = this.application.router.stack as unknown as readonly Layer[];
    if (layers.length !== this.known) this.read(layers);
    for (const route of this.byMethod.get(request.method) ?? []) {
      const parameters = parametersOf(route, path);
      if (parameters === undefined) continue;
      if (route.plain !== undefined) {
        void route.plain.handle(request, response, parameters);
        return true;
      }
      Object.assign(request, { originalUrl: url, baseUrl: '', params: parameters, res: response, next });
      response.locals = Object.create(null) as typeof response.locals;
      const result = route.handle(request, response, next);
      if (result instanceof Promise) result.catch(next);
      return true;
    }
    return false;
  }

  private read(layers: readonly Layer[]): void {
    this.known = layers.length;
    this.byMethod = new Map();
    const aside: string[] = [];
    for (const { route, handle, slash } of layers.slice(this.passed)) {
      const own = asideOf(handle, slash);
      if (own !== undefined) aside.push(...own);
      else if (route === undefined || !this.add(route, aside)) return;
    }
  }

  /** @returns whether what comes behind it may still be direct. */
  private add({ path, stack }: NonNullable<Layer['route']>, aside: readonly string[]): boolean {
    const [only] = stack;
    if (typeof path !== 'string' || !PLAIN_PATH.test(path) || stack.length !== 1 || only?.method === undefined)
      return false;
    const method = only.method.toUpperCase();
    const direct = directRoute(path, only.handle, this.plain.get(`${method} ${path}`));
    if (aside.some((other) => parametersOf(direct, other) !== undefined)) return false;
    const routes = this.byMethod.get(method) ?? [];
    this.byMethod.set(method, [...routes, direct]);
    return true;
  }
}

/** The paths of a router of constant paths only, as `/docs` has; undefined for anything else. */
function asideOf({ stack }: Layer['handle'], slash: boolean): string[] | undefined {
  if (!slash || stack === undefined) return undefined;
  const paths = stack.map(({ route }) => route?.path);
  return paths.every((path) => typeof path === 'string' && !/[:*{]/.test(path)) ? (paths as string[]) : undefined;
}

function directRoute(path: string, handle: Handler, plain: PlainHandler | undefined): DirectRoute {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const source = path.replace(/[.~-]/g, '\\$&').replace(/:\w+/g, '([^/%]+)');
  return { path, names, pattern: names.length === 0 ? undefined : new RegExp(`^${source}$`), handle, plain };
}

function parametersOf({ path, names, pattern }: DirectRoute, at: string): Record<string, string> | undefined {
  if (pattern === undefined) return at === path ? (Object.create(null) as Record<string, string>) : undefined;
  const found = pattern.exec(at);
  if (found === null) return undefined;
  const parameters = Object.create(null) as Record<string, string>;
  for (let index = 0; index < names.length; index++) parameters[names[index] as string] = found[index + 1] as string;
  return parameters;
}
