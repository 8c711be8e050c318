import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { exchangeOf, type Exchange } from './exchange.js';

/** Decides which clients get the answers of a feature's middleware. */
export interface MiddlewareAccess {
  /**
   * Undefined if a middleware may answer the request, else a function that finds the error to send instead. Never
   * rejects.
   */
  readonly refusalOf: (exchange: Exchange) => Promise<(() => Promise<unknown>) | undefined>;
  readonly fail: (error: unknown, request: Request, response: Response) => void;
}

/** Every answer begins or ends with a call of one of these methods. */
const WRITES = ['writeHead', 'flushHeaders', 'write', 'end'] as const;

/**
 * Wraps a middleware of a feature. As in any Nest application it runs before the guards, and so before the key is
 * checked. It sees every request and may set headers of the answer. If it answers itself, as `express.static()` does,
 * only a client that `refusalOf` accepts gets that answer.
 */
export function behindKey(middleware: RequestHandler, { refusalOf, fail }: MiddlewareAccess): RequestHandler {
  return (request, response, next) => {
    const exchange = exchangeOf(request);
    // Before the features have started, only the platform answers.
    if (exchange.isEarly) return next();
    exchange.middlewareRefusal ??= refusalOf(exchange);
    void exchange.middlewareRefusal
      .then((refusal) => {
        const goOn: NextFunction = (error) => {
          exchange.waitsForBody = false;
          next(error);
        };
        const pass = refusal === undefined ? goOn : refuseAnswers(request, response, { refusal, next: goOn, fail });
        exchange.waitsForBody = true;
        const done: unknown = middleware(request, response, pass);
        if (waitsForMalformed(exchange)) fail(exchange.bodyFault, request, response);
        return done;
      })
      .catch(next);
  };
}

/** Whether a middleware may wait for the rest of a malformed body, which never comes. */
function waitsForMalformed({ waitsForBody, bodyFault, response }: Exchange): boolean {
  return waitsForBody && bodyFault !== undefined && !response.headersSent;
}

interface Closed {
  readonly refusal: () => Promise<unknown>;
  readonly next: NextFunction;
  readonly fail: MiddlewareAccess['fail'];
}

/** Until the middleware calls `next`, drops everything that it writes, and answers with the error instead. */
function refuseAnswers(request: Request, response: Response, { refusal, next, fail }: Closed): NextFunction {
  const before = response.getHeaders();
  const own = Object.fromEntries(WRITES.map((name) => [name, response[name].bind(response)])) as Record<
    (typeof WRITES)[number],
    (...args: unknown[]) => unknown
  >;
  let isOpen = false;
  let isRefused = false;
  const refuse = async (): Promise<void> => {
    isRefused = true;
    const error = await refusal().catch((unknown: unknown) => unknown);
    for (const name of response.getHeaderNames()) if (!(name in before)) response.removeHeader(name);
    exchangeOf(request).failure = undefined;
    isOpen = true;
    fail(error, request, response);
    isOpen = false;
  };
  for (const name of WRITES) {
    const write = (...args: unknown[]): unknown => {
      if (isOpen) return own[name](...args);
      if (!isRefused) void refuse();
      return name === 'write' ? true : response;
    };
    Object.assign(response, { [name]: write });
  }
  return (error?: unknown) => {
    if (isRefused) return;
    // The error of a middleware may disclose as much as an answer. `next('route')` is no error: Express continues.
    if (error !== undefined && error !== null && error !== 'route') return void refuse();
    isOpen = true;
    next(error);
  };
}
