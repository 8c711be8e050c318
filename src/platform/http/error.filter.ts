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

/** The one filter: whatever is thrown, anywhere, leaves as exactly `{ code, message, status }` (interface §7). */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOG) private readonly log: Log) {}

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

/**
 * The error for an exception that has a status of its own: Nest's `HttpException`, or http-errors' with `expose`. Its status
 * stays. Its code is the one that its response names, else `codeOfPipe`, else the one of the status. Its message is its own
 * below 500; from there on it may hold internals.
 *
 * @returns undefined for another one, and for a status that is no failure.
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

/** Codes of statuses whose words make a poor one. */
const CODES: Readonly<Record<number, string>> = { 422: 'unprocessable', 500: coreErrors.internalError.code };

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

/** Left by Nest on a request whose pipes refused it, for other packages to read. */
const REJECTED_BY_PIPES = Symbol.for('nestjs:rejected-by-pipes');

/**
 * The code of what a pipe of a feature's refused with 400, such as `ParseIntPipe`: that of a parameter or of a field.
 *
 * @returns undefined where no pipe refused anything.
 */
function codeOfPipe({ request, route, isBodyPiped }: Exchange): string | undefined {
  const isRejected = (request as { [REJECTED_BY_PIPES]?: boolean })[REJECTED_BY_PIPES] === true;
  if (!isRejected || route === undefined) return undefined;
  const kinds = pipedKinds(route);
  const { invalidField, invalidParameter } = coreErrors;
  if (!kinds.has('body') && !kinds.has('file')) return kinds.size === 0 ? undefined : invalidParameter.code;
  return isBodyPiped || !(kinds.has('query') || kinds.has('param')) ? invalidField.code : invalidParameter.code;
}

/** What the validation pipe asks about the pipes of the request that it works for. */
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

/** Whether a body waits until the pipes of path and query had their say, so that it is known who refused. */
function waitsForParameters(route: Route): boolean {
  const kinds = pipedKinds(route);
  return kinds.has('body') && (kinds.has('query') || kinds.has('param'));
}

function pipedKinds({ inputs, handler, controller }: Route): ReadonlySet<string> {
  const isAllPiped = [handler, controller].some((at) => Reflect.hasMetadata(PIPES_METADATA, at));
  return new Set(inputs.filter(({ isPiped }) => isPiped || isAllPiped).flatMap(({ kind }) => kind ?? []));
}
