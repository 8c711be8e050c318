import type { NextFunction, Request, Response } from 'express';
import { problem } from './problem.js';

export function methodNotAllowed(...methods: readonly string[]) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (methods.includes(request.method)) return next();
    response.setHeader('Allow', methods.join(', '));
    next(problem(405, 'method_not_allowed', `This path knows ${methods.join(', ')}.`));
  };
}
