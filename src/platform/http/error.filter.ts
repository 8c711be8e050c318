import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { databaseFailure } from '../database/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import type { Log } from '../logging/index.js';
import { errorAnswer, sendAnswer } from './answer.js';
import { ExceptionError } from './exception-error.js';
import { exchangeOf, type Exchange } from './exchange.js';
import { codeOfPipe } from './feature-pipes.js';

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
    if (exchange.failure !== undefined && isLate(thrown, response)) return;
    const error = toApiError(thrown, exchange);
    exchange.failure ??= error;
    if (error.status === 500) this.log.error({ event: 'request.failed', err: thrown }, 'A request failed unexpectedly');
    if (response.headersSent) response.destroy();
    else sendAnswer(exchange, response, errorAnswer(error));
  }
}

/** Whether a handler wrote a head where a refusal, of a broken body for one, was sent already. It could not know. */
function isLate(thrown: unknown, { headersSent }: ServerResponse): boolean {
  return headersSent && thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_HTTP_HEADERS_SENT';
}

/** What a client is told of anything that was thrown. What no exception has a status for is a fault of the service. */
function toApiError(thrown: unknown, exchange: Exchange): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof URIError) return new ApiError(coreErrors.badRequest, undefined, { cause: thrown });
  return (
    exceptionError(thrown, exchange) ??
    databaseFailure(thrown) ??
    new ApiError(coreErrors.internalError, undefined, { cause: thrown })
  );
}

function exceptionError(thrown: unknown, exchange: Exchange): ApiError | undefined {
  if (thrown instanceof HttpException) {
    return ExceptionError.of(thrown, thrown.getStatus() === 400 ? codeOfPipe(exchange) : undefined);
  }
  return thrown instanceof Error ? ExceptionError.ofExposed(thrown) : undefined;
}
