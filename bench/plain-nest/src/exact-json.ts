import type { NextFunction, Request, Response } from 'express';
import { problem } from './problem.js';

/** Parses integers as bigint from their source text. TypeScript's types lack the third argument. */
export function exactNumber(_name: string, value: unknown, context?: { source?: string }): unknown {
  const digits = context?.source;
  return typeof value === 'number' && digits !== undefined && /^-?\d+$/.test(digits) ? BigInt(digits) : value;
}

export function rawBigint(_name: string, value: unknown): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  return typeof value === 'bigint' ? rawJSON(String(value)) : value;
}

export function parseExactJson(reviver: typeof exactNumber) {
  return (request: Request, _response: Response, next: NextFunction): void => {
    if (typeof request.body !== 'string') return next();
    try {
      request.body = JSON.parse(request.body, reviver) as unknown;
      next();
    } catch {
      next(problem(400, 'invalid_json', 'The request body is not valid JSON.'));
    }
  };
}
