import { StreamableFile, type RequestMethod } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import cors from 'cors';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Config } from '../config/index.js';
import type { ApiError } from '../errors/index.js';
import { isOptimized } from '../optimizations.js';
import { tracing } from '../tracing/index.js';
import { admissionFault } from './client-fault.js';
import { refuseBody, refuseExchange, type Responder } from './answer.js';
import type { Deadline } from './deadline.js';
import type { ErrorFilter } from './error.filter.js';
import type { ExchangeObserver } from './exchange-observer.js';
import { beginExchange, dropForwardedPorts, exchangeOf, originForm, runWithin, type Exchange } from './exchange.js';
import { behindKey, type MiddlewareAccess } from './feature-middleware.js';
import { DirectRoutes } from './direct-routes.js';
import { expressMessages } from './express-messages.js';
import { createHttpServer } from './http-server.js';
import { inTurn, isBehindTheLast } from './connection.js';
import type { PlainHandler } from './plain-handler.js';
import { starting } from './request.guards.js';
import { TurnQueue } from './turn-queue.js';
import type { Unmatched } from './unmatched.js';
import { parseQuery } from '../validation/index.js';

/** Seconds that a browser may cache the answer to a CORS preflight. */
const PREFLIGHT_SECONDS = 600;

/** Response headers that a page of another origin may read: all that the contract names. */
const EXPOSED =
  'Allow,Deprecation,ETag,Idempotent-Replayed,Link,Location,RateLimit,RateLimit-Policy,Retry-After,Sunset,' +
  'WWW-Authenticate,X-Request-Id';

const NESTS_ERROR_HANDLER = String(new StreamableFile(new Uint8Array()).errorHandler);

type MountMiddleware = ReturnType<ExpressAdapter['createMiddlewareFactory']>;

/** What the adapter calls for a request. It exists only after Nest has created the application. */
export interface AdapterCallbacks {
  readonly responder: Responder;
  readonly unmatched: Unmatched;
  readonly filter: ErrorFilter;
  /** Decides whether the client may get the answer of a feature's middleware. */
  readonly refusalOf: MiddlewareAccess['refusalOf'];
  /** Handlers that are called without Nest. */
  readonly plainHandlers: readonly PlainHandler[];
  /** The longest deadline of all handlers, in milliseconds. */
  readonly longestDeadlineMs: number;
  readonly observer: ExchangeObserver;
  readonly deadline: Deadline;
  /** The error for a new request if the service is overloaded, else undefined. */
  readonly overload: () => ApiError | undefined;
}

/**
 * Express as this service needs it: an exchange for every request, exact answers, strict paths and the service's
 * limits.
 */
export class HttpAdapter extends ExpressAdapter {
  private callbacks: AdapterCallbacks | undefined;
  private isOpen = false;
  private readonly ownHandlers: number;
  private readonly direct: DirectRoutes;
  /**
   * Sets the CORS headers of every answer if CORS_ORIGINS is set. Without them a page can read neither an error nor its
   * `Retry-After`. Cookies are not allowed, because a page must set the key in a header itself. Any request header is
   * allowed. An OPTIONS request continues to the service's own answer, which names the methods of the path.
   */
  private readonly crossOrigin: ReturnType<typeof cors> | undefined;
  /** Exchanges whose request arrived in this turn of the event loop. */
  private readonly arrived = new TurnQueue<Exchange>((exchange) => this.take(exchange));

  constructor(private readonly config: Config) {
    const application = express();
    application.disable('x-powered-by');
    application.disable('etag');
    application.enable('strict routing');
    application.enable('case sensitive routing');
    application.set('trust proxy', config.http.trustProxy);
    // `a[b]=c` must not become an object: validation refuses it.
    application.set('query parser', parseQuery);
    super(application);
    // Nest's adapter has added one layer, for its hooks.
    this.ownHandlers = application.router.stack.length;
    this.direct = new DirectRoutes(application, this.ownHandlers);
    const origin = [...config.http.corsOrigins];
    const options = { origin, exposedHeaders: EXPOSED, maxAge: PREFLIGHT_SECONDS, preflightContinue: true };
    if (origin.length > 0) this.crossOrigin = cors(options);
  }

  /** Sets the callbacks. Before that no request is answered. */
  connect(callbacks: AdapterCallbacks): void {
    this.callbacks = callbacks;
    if (isOptimized('plain-handlers')) this.direct.addPlain(callbacks.plainHandlers);
    this.server.timeout += callbacks.longestDeadlineMs - this.config.http.requestDeadlineMs;
  }

  /** The number of handlers and middlewares of Express, plus the server's own listeners for requests. */
  countHandlers(): number {
    const events = ['request', 'upgrade', 'connect', 'checkContinue', 'checkExpectation'];
    const listeners = events.map((event) => this.server.listenerCount(event));
    return listeners.reduce((sum, count) => sum + count, this.getInstance<Express>().router.stack.length);
  }

  /** Whether a feature added handlers to Express while Nest created its providers, before the service added its own. */
  get hasHandlersBefore(): boolean {
    return this.getInstance<Express>().router.stack.length > this.ownHandlers;
  }

  /** Must be called when the features have started. Until then their handlers are not called. */
  open(): void {
    this.isOpen = true;
  }

  override initHttpServer(): void {
    const { http } = this.config;
    const refused = (reason: string): void => this.callbacks?.observer.refused(reason);
    const server = createHttpServer(
      http,
      {
        receive: (request, response, before) => this.receive(request, response, before),
        closed: (response) => this.finish(exchangeOf(response.req)),
        refuse: (response, fault) => refuseBody(exchangeOf(response.req), fault),
        refused,
        flush: () => this.arrived.workOff(),
      },
      expressMessages(this.getInstance()),
    );
    server.maxConnections = http.maxConnections;
    server.on('drop', () => refused('too_many_connections'));
    this.setHttpServer(server);
  }

  override reply(response: Response, result: unknown, status?: number): void {
    if (result instanceof StreamableFile) super.reply(response, this.answeredOnFailure(result), status);
    else this.callbacks?.responder.send(exchangeOf(response.req), response, result, status ?? response.statusCode);
  }

  /** If a stream fails before its first byte, the client gets an Error as usual. Nest would answer with text. */
  private answeredOnFailure(file: StreamableFile): StreamableFile {
    const own = file.errorHandler;
    // An error handler of the feature is kept. Nest's own is recognised by its text, because each file has another
    // copy.
    if (String(own) !== NESTS_ERROR_HANDLER) return file;
    return file.setErrorHandler((error, response) => {
      if (response.headersSent || response.destroyed) own(error, response);
      else this.fail(error, (response as unknown as Response).req, response as unknown as Response);
    });
  }

  override createMiddlewareFactory(method: RequestMethod): MountMiddleware {
    const mount = super.createMiddlewareFactory(method);
    const access: MiddlewareAccess = {
      refusalOf: async (exchange) => this.callbacks?.refusalOf(exchange),
      fail: (...failed) => this.fail(...failed),
    };
    return (path, callback): unknown => mount(path, behindKey(callback as RequestHandler, access));
  }

  override setNotFoundHandler(): void {
    this.use((request: Request, response: Response) => this.callbacks?.unmatched.answer(request, response));
  }

  override setErrorHandler(): void {
    this.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
      this.fail(thrown, request, response);
    });
  }

  private receive(request: IncomingMessage, response: ServerResponse, before: ServerResponse | undefined): void {
    if (this.config.http.trustProxy !== 0) dropForwardedPorts(request.headers);
    this.crossOrigin?.(request, response, () => undefined);
    const exchange = beginExchange(request, response);
    this.callbacks?.observer.begin(exchange);
    const fault = admissionFault(request);
    if (fault === undefined) inTurn(response, before, () => this.arrived.add(exchange));
    else this.workOn(exchange, () => this.refuse(exchange, fault));
  }

  /** Passes a request to its handler, unless it was answered below the framework or must no longer be answered. */
  private take(exchange: Exchange): void {
    const { response, workload } = exchange;
    if (exchange.isOver) return;
    if (isBehindTheLast(response)) return this.callbacks?.observer.drop(exchange);
    if (response.headersSent) return;
    workload?.take(exchange);
    const overload = this.callbacks?.overload();
    this.workOn(exchange, () => (overload === undefined ? this.dispatch(exchange) : this.refuse(exchange, overload)));
  }

  private workOn(exchange: Exchange, work: () => void): void {
    runWithin(exchange, () => {
      const traces = tracing();
      if (traces === undefined) work();
      else traces.request(exchange, exchange.response, work);
    });
  }

  private refuse(exchange: Exchange, fault: ApiError): void {
    this.callbacks?.unmatched.announce(exchange);
    refuseExchange(exchange, exchange.response, fault);
  }

  private dispatch({ request, response }: Exchange): void {
    if (request.url?.startsWith('/') !== true) request.url = originForm(request.url ?? '/');
    const [asked, answered] = [request as Request, response as Response];
    if (!this.isOpen) this.answerEarly(asked, answered);
    else if (!request.url.startsWith('/')) this.answerUnrouted(asked, answered);
    else if (!this.direct.dispatch(asked, answered)) this.getInstance<Express>()(asked, answered);
  }

  /**
   * Until the features have started, only the documentation is served. Its layers come before the features' handlers.
   */
  private answerEarly(request: Request, response: Response): void {
    exchangeOf(request).isEarly = true;
    this.getInstance<Express>()(request, response, (thrown?: unknown) =>
      this.fail(thrown ?? starting(), request, response),
    );
  }

  /**
   * For a target that is no path, such as `*`. Express would call `url.parse`, for which Node prints a warning on
   * stderr.
   */
  private answerUnrouted(request: Request, response: Response): void {
    try {
      this.callbacks?.unmatched.answer(request, response);
    } catch (error) {
      this.fail(error, request, response);
    }
  }

  private fail(thrown: unknown, request: Request, response: Response): void {
    const exchange = exchangeOf(request);
    if (exchange.route === undefined) this.callbacks?.unmatched.announce(exchange);
    this.callbacks?.filter.answer(thrown, request, response);
  }

  private finish(exchange: Exchange): void {
    if (exchange.isOver) return;
    this.callbacks?.deadline.end(exchange);
    this.callbacks?.observer.end(exchange);
  }

  get server(): Server {
    return this.getHttpServer();
  }

  /** Does nothing, because the server is drained before Nest closes. */
  override close(): Promise<void> {
    return Promise.resolve();
  }
}
