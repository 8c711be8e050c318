import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import type { Problem } from './problem.js';

const CODES: Record<number, string> = {
  400: 'bad_request',
  404: 'route_not_found',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
};

@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const problem = problemOf(thrown);
    if (problem.status === 500) console.error(thrown);
    host.switchToHttp().getResponse<Response>().status(problem.status).json(problem);
  }
}

function problemOf(thrown: unknown): Problem {
  if (thrown instanceof HttpException) {
    const body = thrown.getResponse();
    if (typeof body === 'object' && 'code' in body) return body as Problem;
  }
  const given = thrown instanceof HttpException ? thrown.getStatus() : ((thrown as { status?: number }).status ?? 500);
  const code = CODES[given];
  if (code === undefined) return { code: 'internal_error', message: 'Something went wrong on our side.', status: 500 };
  return { code, message: 'The request cannot be answered.', status: given };
}
