import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, coreErrors } from '../errors/index.js';
import type { Log } from '../logging/index.js';
import { errorAnswer, sendAnswer } from './answer.js';
import { exchangeOf } from './exchange.js';

/** The one filter: whatever is thrown, anywhere, leaves as exactly `{ code, message, status }` (interface §7). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Log) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<IncomingMessage>(), http.getResponse<ServerResponse>());
  }

  /** The same for what fails outside a route: Express itself, a feature's middleware. Never throws. */
  answer(thrown: unknown, request: IncomingMessage, response: ServerResponse): void {
    try {
      this.tell(thrown, request, response);
    } catch {
      // An exotic object can refuse to be looked at; Express would answer for it, in HTML.
      this.tell(new Error('Something was thrown that cannot be read'), request, response);
    }
  }

  private tell(thrown: unknown, request: IncomingMessage, response: ServerResponse): void {
    const exchange = exchangeOf(request);
    const error = toApiError(thrown);
    exchange.failure ??= error;
    if (error.status === 500) this.log.error({ event: 'request.failed', err: thrown }, 'A request failed unexpectedly');
    if (response.headersSent) response.destroy();
    else sendAnswer(exchange, response, errorAnswer(error));
  }
}

/** What a client is told of anything that was thrown. Only an ApiError speaks for itself. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const status = thrown instanceof HttpException ? thrown.getStatus() : statusOf(thrown);
  const kind = kindOfStatus[status];
  return new ApiError(kind ?? coreErrors.internalError, undefined, { cause: thrown });
}

/** Express and its routers mark a client's fault by `status` on an error made by http-errors, `expose` with it. */
function statusOf(thrown: unknown): number {
  if (!(thrown instanceof Error)) return 500;
  if (thrown instanceof URIError) return 400;
  const { status, expose } = thrown as { status?: unknown; expose?: unknown };
  return expose === true && typeof status === 'number' ? status : 500;
}

/** Nest's own exceptions, which a feature may throw, by status. Others are our fault. */
const kindOfStatus: Readonly<Record<number, (typeof coreErrors)[keyof typeof coreErrors]>> = {
  400: coreErrors.badRequest,
  401: coreErrors.invalidApiKey,
  403: coreErrors.insufficientScope,
  404: coreErrors.routeNotFound,
  405: coreErrors.methodNotAllowed,
  406: coreErrors.notAcceptable,
  408: coreErrors.requestTimeout,
  410: coreErrors.operationRemoved,
  413: coreErrors.payloadTooLarge,
  414: coreErrors.uriTooLong,
  415: coreErrors.unsupportedMediaType,
  429: coreErrors.rateLimited,
  503: coreErrors.serviceUnavailable,
};
