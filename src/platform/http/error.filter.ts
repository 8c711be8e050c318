import { Catch, HttpException, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { databaseFailure } from '../database/index.js';
import { ApiError, coreErrors, defineErrorCode, isErrorCode, RETRY_SOON } from '../errors/index.js';
import { LOG, type Log } from '../logging/index.js';
import { PIPES_METADATA } from '../nest-internals.js';
import type { Route } from '../routing/index.js';
import type { OtherPipes } from '../validation/index.js';
import { errorAnswer, sendAnswer } from './answer.js';
import { currentExchange, exchangeOf, type Exchange } from './exchange.js';

/** The global exception filter. It sends every error as exactly `{ code, message, status }` (interface §7). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(thrown, http.getRequest<IncomingMessage>(), http.getResponse<ServerResponse>());
  }

  /** Answers an error from outside a route: from Express itself or from a feature's middleware. Never throws. */
  answer(thrown: unknown, request: IncomingMessage, response: ServerResponse): void {
    try {
      this.respond(thrown, request, response);
    } catch {
      // Reading the properties of a thrown object may throw. Express would then answer with HTML.
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

/** Whether the client already got an error, for example for a malformed body, and `thrown` only follows from it. */
function isLate(thrown: unknown, { response, bodyFault }: Exchange): boolean {
  if (!response.headersSent || !(thrown instanceof Error)) return false;
  return thrown === bodyFault || ('code' in thrown && thrown.code === 'ERR_HTTP_HEADERS_SENT');
}

/**
 * The error that a client gets for anything that was thrown. A thrown value without a status is a fault of the service.
 */
function toApiError(thrown: unknown, exchange: Exchange): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof URIError) return new ApiError(coreErrors.badRequest, undefined, { cause: thrown });
  return (
    exceptionError(thrown, exchange) ??
    databaseFailure(thrown) ??
    new ApiError(coreErrors.internalError, undefined, { cause: thrown })
  );
}

/**
 * The error for an exception that has a status: Nest's `HttpException`, or an error of http-errors with `expose`. The
 * status is kept. The code is the one that the exception names, else `codeOfPipe` for 400, else the code of the status.
 * Below 500 the message of the exception is kept. From 500 on it may contain internals, so it is replaced.
 *
 * @returns undefined for any other error, and for a status outside 400 to 599.
 */
function exceptionError(thrown: unknown, exchange: Exchange): ApiError | undefined {
  if (thrown instanceof HttpException) {
    const status = thrown.getStatus();
    const response = Object(thrown.getResponse()) as { readonly code?: unknown; readonly message?: unknown };
    const { code = thrown.errorCode, message } = response;
    const named = typeof code === 'string' && isErrorCode(code) ? code : undefined;
    const words = [message].flat().filter((word) => typeof word === 'string' && word !== '');
    const ownCode = named ?? (status === 400 ? codeOfPipe(exchange) : undefined);
    return errorWithStatus(status, ownCode, words.join('; ') || thrown.message, thrown);
  }
  if (!(thrown instanceof Error)) return undefined;
  const { status, expose, message } = thrown as Error & { readonly status?: unknown; readonly expose?: unknown };
  return expose === true && typeof status === 'number'
    ? errorWithStatus(status, undefined, message, thrown)
    : undefined;
}

function errorWithStatus(status: number, code: string | undefined, words: string, cause: unknown) {
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  const message = status < 500 && words !== '' ? words : wordsOf(status);
  return new ExceptionError(status, code ?? codeOf(status), message, cause);
}

class ExceptionError extends ApiError {
  constructor(
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
}

/** Codes for statuses whose reason phrase would make a poor code. */
const CODES: Readonly<Record<number, string>> = { 422: 'unprocessable', 500: coreErrors.internalError.code };

/**
 * The code of a status, from its reason phrase: `conflict` for 409. An unregistered status gets the code of 400 or 500
 * (RFC 9110 §15).
 */
function codeOf(status: number): string {
  const words = CODES[status] ?? STATUS_CODES[status];
  if (words === undefined) return codeOf(status < 500 ? 400 : 500);
  return words
    .toLowerCase()
    .replace(/[^a-z_ ]/g, '')
    .replaceAll(' ', '_');
}

/** The platform's own message for a status. */
function wordsOf(status: number): string {
  if (status < 500) return STATUS_CODES[status] ?? coreErrors.badRequest.message;
  return status === 503 ? coreErrors.serviceUnavailable.message : coreErrors.internalError.message;
}

/** Nest sets this on a request that a pipe rejected, for other packages to read. */
const REJECTED_BY_PIPES = Symbol.for('nestjs:rejected-by-pipes');

/**
 * The code for a 400 of a feature's pipe, such as `ParseIntPipe`: `invalid_parameter` or `invalid_field`.
 *
 * @returns undefined if no pipe rejected the request.
 */
function codeOfPipe({ request, route, isBodyPiped }: Exchange): string | undefined {
  const isRejected = (request as { [REJECTED_BY_PIPES]?: boolean })[REJECTED_BY_PIPES] === true;
  if (!isRejected || route === undefined) return undefined;
  const kinds = pipedKinds(route);
  const { invalidField, invalidParameter } = coreErrors;
  if (!kinds.has('body') && !kinds.has('file')) return kinds.size === 0 ? undefined : invalidParameter.code;
  return isBodyPiped || !(kinds.has('query') || kinds.has('param')) ? invalidField.code : invalidParameter.code;
}

/** Tells the validation pipe about the feature's pipes for the current request. */
export const featurePipes: OtherPipes = {
  isPiped({ type, data }) {
    const route = currentExchange()?.route;
    const input = route?.inputs.find((each) => each.kind === type && each.data === data);
    return input?.isPiped === true;
  },

  parametersFirst() {
    const exchange = currentExchange();
    if (exchange?.route === undefined || !waitsForParameters(exchange.route)) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        exchange.isBodyPiped = true;
        resolve();
      });
    });
  },
};

/**
 * Whether the body must wait until the pipes for path and query have run. After that it is known which pipe rejected
 * the request.
 */
function waitsForParameters(route: Route): boolean {
  const kinds = pipedKinds(route);
  return kinds.has('body') && (kinds.has('query') || kinds.has('param'));
}

function pipedKinds({ inputs, handler, controller }: Route): ReadonlySet<string> {
  const isAllPiped = [handler, controller].some((at) => Reflect.hasMetadata(PIPES_METADATA, at));
  return new Set(inputs.filter(({ isPiped }) => isPiped || isAllPiped).flatMap(({ kind }) => kind ?? []));
}
