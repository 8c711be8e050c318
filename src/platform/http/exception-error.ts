import { HttpException } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import { ApiError, coreErrors, defineErrorCode, isErrorCode, RETRY_SOON } from '../errors/index.js';

/** Codes of statuses whose words make a poor one. */
const CODES: Readonly<Record<number, string>> = { 422: 'unprocessable', 500: coreErrors.internalError.code };

/** What a client is told of an exception that has a status of its own: Nest's `HttpException`, or http-errors'. */
export class ExceptionError extends ApiError {
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

  /** Of an error of a library for Express, which says by `expose` that its message is for the client. */
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
