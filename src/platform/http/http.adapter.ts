import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Config } from '../config/index.js';
import type { ApiError } from '../errors/index.js';
import { tracing } from '../tracing/index.js';
import { admissionFault, HEADERS_LIMIT_BYTES, URL_LIMIT_BYTES } from './admission.js';
import { refuseExchange } from './answer.js';
import { refuseConnection } from './client-fault.js';
import { crossOrigin } from './cors.js';
import type { ErrorFilter } from './error.filter.js';
import { beginExchange, exchangeOf, runWithin, type Exchange } from './exchange.js';
import { DirectRoutes } from './direct-routes.js';
import { expressMessages } from './express-messages.js';
import { beginNow, inTurn, isBehindTheLast, joinPipeline, leavePipeline, newestOn } from './pipeline.js';
import type { PlainHandler } from './plain-handler.js';
import { parseQuery } from './query.js';
import { originForm } from './request-target.js';
import type { Responder } from './responder.js';
import { TurnQueue } from './turn-queue.js';
import type { Unmatched } from './unmatched.js';
import { queryObject } from '../validation/index.js';

const NESTS_ERROR_HANDLER = String(new StreamableFile(new Uint8Array()).errorHandler);

/** The rooms that the adapter hands requests to; they exist once Nest has put the application together. */
export interface Hands {
  readonly responder: Responder;
  readonly unmatched: Unmatched;
  readonly filter: ErrorFilter;
  /** Those that need not be called by way of Nest. */
  readonly plainHandlers: readonly PlainHandler[];
  /** The longest that some handler may take. */
  readonly longestDeadlineMs: number;
  /** Told of every exchange as it begins, and once its response is closed. */
  readonly begin: (exchange: Exchange) => void;
  readonly end: (exchange: Exchange) => void;
  /** Told, in place of its end, of one that is not looked at after all, as if it had never come. */
  readonly drop: (exchange: Exchange) => void;
  /** Told of every connection that is refused before there is an exchange. */
  readonly refused: (reason: string) => void;
  /** The reason not to take on more work, if there is one. */
  readonly overload: () => ApiError | undefined;
}

/** Express as this service needs it: an exchange around every request, exact answers, strict paths, own limits. */
export class HttpAdapter extends ExpressAdapter {
  private hands: Hands | undefined;
  private readonly direct: DirectRoutes;
  private readonly crossOrigin: ReturnType<typeof crossOrigin>;
  /** Exchanges whose request came in this turn of the event loop. */
  private readonly arrived = new TurnQueue<Exchange>((exchange) => this.take(exchange));

  constructor(private readonly config: Config) {
    const application = express();
    application.disable('x-powered-by');
    application.disable('etag');
    application.enable('strict routing');
    application.enable('case sensitive routing');
    application.set('trust proxy', config.http.trustProxy);
    // `a[b]=c` is a fault for validation to name, no object.
    application.set('query parser', (text: string | null) => queryObject(parseQuery(text ?? '')));
    super(application);
    // Nest's adapter begins with a layer for its hooks.
    this.direct = new DirectRoutes(application, application.router.stack.length);
    this.crossOrigin = crossOrigin(config.http.corsOrigins);
  }

  /** Gives the adapter its hands. Until then nothing is answered. */
  connect(hands: Hands): void {
    this.hands = hands;
    this.direct.addPlain(hands.plainHandlers);
    this.server.timeout += hands.longestDeadlineMs - this.config.http.requestDeadlineMs;
  }

  override initHttpServer(): void {
    const { http } = this.config;
    const server = createServer(
      {
        ...expressMessages(this.getInstance()),
        maxHeaderSize: URL_LIMIT_BYTES + HEADERS_LIMIT_BYTES + 1024,
        headersTimeout: http.headersTimeoutMs,
        requestTimeout: http.requestTimeoutMs,
        keepAliveTimeout: http.keepAliveTimeoutMs,
        connectionsCheckingInterval: 500,
        requireHostHeader: false,
      },
      (request, response) => this.receive(request, response),
    );
    server.maxConnections = http.maxConnections;
    // Any number: their bytes are what is bounded.
    server.maxHeadersCount = 0;
    // Nothing moves for longer than a request may take and its answer after it: the client does not read.
    server.timeout = http.requestTimeoutMs + http.requestDeadlineMs;
    const count = (reason: string): void => this.hands?.refused(reason);
    // What is wrong behind a request, or in its body, comes after all that is decided by its head.
    server.on('clientError', (error, socket) => {
      const newest = newestOn(socket);
      // With a bad body it changes nothing, whenever it comes.
      if (newest?.req.complete === false) beginNow(newest);
      this.arrived.workOff();
      refuseConnection(error, socket, count);
    });
    server.on('drop', () => count('too_many_connections'));
    // RFC 9110 §10.1.1: the body is asked for when it is read, so after the key is accepted.
    server.on('checkContinue', (request, response) => this.receive(request, response));
    server.on('checkExpectation', (request, response) => this.receive(request, response));
    this.setHttpServer(server);
  }

  override reply(response: Response, result: unknown, status?: number): void {
    if (result instanceof StreamableFile) super.reply(response, this.answeredOnFailure(result), status);
    else this.hands?.responder.send(exchangeOf(response.req), response, result, status ?? response.statusCode);
  }

  /** A stream that fails before it began is a failure like any other; Nest would answer it with text. */
  private answeredOnFailure(file: StreamableFile): StreamableFile {
    const own = file.errorHandler;
    // A handler of a feature's own stays. Each file has its own copy of Nest's.
    if (String(own) !== NESTS_ERROR_HANDLER) return file;
    return file.setErrorHandler((error, response) => {
      if (response.headersSent || response.destroyed) own(error, response);
      else this.fail(error, (response as unknown as Response).req, response as unknown as Response);
    });
  }

  override setNotFoundHandler(): void {
    this.use((request: Request, response: Response) => this.hands?.unmatched.answer(request, response));
  }

  override setErrorHandler(): void {
    this.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) => {
      this.fail(thrown, request, response);
    });
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const before = newestOn(request.socket);
    if (!joinPipeline(response)) return;
    this.crossOrigin?.(request, response);
    const exchange = beginExchange(request, response);
    response.on('close', () => this.finish(exchange));
    this.hands?.begin(exchange);
    const fault = admissionFault(request);
    if (fault === undefined) inTurn(response, before, () => this.arrived.add(exchange));
    else this.workOn(exchange, () => this.refuse(exchange, fault));
  }

  /** Takes a request to its handler, unless it was answered below the framework, or is not to be any more. */
  private take(exchange: Exchange): void {
    const { response, workload } = exchange;
    if (exchange.isOver) return;
    if (isBehindTheLast(response)) return this.drop(exchange);
    if (response.headersSent) return;
    workload?.take(exchange);
    const overload = this.hands?.overload();
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
    this.hands?.unmatched.announce(exchange);
    refuseExchange(exchange, exchange.response, fault);
  }

  private dispatch({ request, response }: Exchange): void {
    request.url = originForm(request.url ?? '/');
    const [asked, answered] = [request as Request, response as Response];
    if (!request.url.startsWith('/')) this.answerUnrouted(asked, answered);
    else if (!this.direct.dispatch(asked, answered)) this.getInstance<Express>()(asked, answered);
  }

  /** A target that is no path, such as `*`: Express would ask `url.parse`, of which Node warns on standard error. */
  private answerUnrouted(request: Request, response: Response): void {
    try {
      this.hands?.unmatched.answer(request, response);
    } catch (error) {
      this.fail(error, request, response);
    }
  }

  private fail(thrown: unknown, request: Request, response: Response): void {
    const exchange = exchangeOf(request);
    if (exchange.route === undefined) this.hands?.unmatched.announce(exchange);
    this.hands?.filter.answer(thrown, request, response);
  }

  private finish(exchange: Exchange): void {
    if (exchange.isOver) return;
    leavePipeline(exchange.response);
    this.hands?.end(exchange);
  }

  private drop(exchange: Exchange): void {
    leavePipeline(exchange.response);
    this.hands?.drop(exchange);
  }

  get server(): Server {
    return this.getHttpServer();
  }

  /** The server is drained before Nest closes; there is nothing left to do. */
  override close(): Promise<void> {
    return Promise.resolve();
  }
}
