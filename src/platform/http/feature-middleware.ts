import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { exchangeOf, type Exchange } from './exchange.js';

/** Decides who gets the answers of a feature's middleware. */
export interface MiddlewareAccess {
  /** Undefined for a request that a middleware may answer, else what finds the error that the client gets instead. Never rejects. */
  readonly refusalOf: (exchange: Exchange) => Promise<(() => Promise<unknown>) | undefined>;
  readonly fail: (error: unknown, request: Request, response: Response) => void;
}

/** All that begins or ends an answer goes through one of these. */
const WRITES = ['writeHead', 'flushHeaders', 'write', 'end'] as const;

/**
 * A middleware of a feature, which comes before the guards as in any Nest application, and so before the key. It sees
 * every request and may leave its headers on the answer; but where it answers itself, `express.static()` for one, only a
 * request whose key is accepted gets that answer.
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

/** Until `next` is called, whatever is written is left out, and the error is answered in its place. */
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
    // What a middleware fails with may say as much as an answer. `next('route')` is Express's way to go on.
    if (error !== undefined && error !== null && error !== 'route') return void refuse();
    isOpen = true;
    next(error);
  };
}
