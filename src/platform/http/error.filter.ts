import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { databaseFailure } from '../database/index.js';
import { ApiError, coreErrors, defineErrorCode, isErrorCode, RETRY_SOON } from '../errors/index.js';
import type { Log } from '../logging/index.js';
import { errorAnswer, sendAnswer } from './answer.js';
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
      this.respond(thrown, request, response);
    } catch {
      // An exotic object can refuse to be looked at; Express would answer for it, in HTML.
      this.respond(new Error('Something was thrown that cannot be read'), request, response);
    }
  }

  private respond(thrown: unknown, request: IncomingMessage, response: ServerResponse): void {
    const exchange = exchangeOf(request);
    if (exchange.failure !== undefined && isLate(thrown, exchange)) return;
    const error = toApiError(thrown, exchange);
    exchange.failure ??= error;
    if (error.status === 500) this.log.error({ event: 'request.failed', err: thrown }, 'A request failed unexpectedly');
    if (response.headersSent) response.destroy();
    else sendAnswer(exchange, response, errorAnswer(error));
  }
}

/** Whether a refusal, of a broken body for one, was sent already, and what was at work could not know. */
function isLate(thrown: unknown, { response, bodyFault }: Exchange): boolean {
  if (!response.headersSent || !(thrown instanceof Error)) return false;
  return thrown === bodyFault || ('code' in thrown && thrown.code === 'ERR_HTTP_HEADERS_SENT');
}

/** The error for a client, of anything that was thrown. What has no status is a fault of the service. */
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

/** Codes of statuses whose words make a poor one. */
const CODES: Readonly<Record<number, string>> = { 422: 'unprocessable', 500: coreErrors.internalError.code };

/** The error for a client, of an exception that has a status of its own: Nest's `HttpException`, or http-errors'. */
class ExceptionError extends ApiError {
  private constructor(
    private readonly own: number,
    code: string,
    message: string,
    cause: unknown,
  ) {
    const headers = own === 503 ? RETRY_SOON : {};
    super(defineErrorCode(code, own < 500 ? 'malformed' : 'internal', message), message, { cause, headers });
  }

  override get status(): number {
    return this.own;
  }

  /**
   * Its status stays. Its code is the one that its response names, else `code`, else the one of the status. Its message is
   * its own below 500; from there on it may hold internals.
   *
   * @returns undefined for a status that is no failure.
   */
  static of(thrown: HttpException, code?: string): ExceptionError | undefined {
    const status = thrown.getStatus();
    const response: unknown = thrown.getResponse();
    const { code: own = thrown.errorCode, message } = asRecord(response);
    const named = typeof own === 'string' && isErrorCode(own) ? own : code;
    const words = [message].flat().filter((word) => typeof word === 'string' && word !== '');
    return ExceptionError.make(status, named, words.join('; ') || thrown.message, thrown);
  }

  /** For an error of a library for Express, whose `expose` says that its message is for the client. */
  static ofExposed(thrown: Error): ExceptionError | undefined {
    const { status, expose } = thrown as { status?: unknown; expose?: unknown };
    if (expose !== true || typeof status !== 'number') return undefined;
    return ExceptionError.make(status, undefined, thrown.message, thrown);
  }

  private static make(status: number, code: string | undefined, words: string, cause: unknown) {
    if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
    const message = status < 500 && words !== '' ? words : wordsOf(status);
    return new ExceptionError(status, code ?? codeOf(status), message, cause);
  }
}

/** The code of a status: `conflict` for 409. A status that nobody registered means what x00 means (RFC 9110 §15). */
function codeOf(status: number): string {
  const words = CODES[status] ?? STATUS_CODES[status];
  if (words === undefined) return codeOf(status < 500 ? 400 : 500);
  return words
    .toLowerCase()
    .replace(/[^a-z_ ]/g, '')
    .replaceAll(' ', '_');
}

/** The platform's own words. */
function wordsOf(status: number): string {
  if (status < 500) return STATUS_CODES[status] ?? coreErrors.badRequest.message;
  return status === 503 ? coreErrors.serviceUnavailable.message : coreErrors.internalError.message;
}

function asRecord(response: unknown): Readonly<Record<string, unknown>> {
  return typeof response === 'object' && response !== null ? (response as Record<string, unknown>) : {};
}
