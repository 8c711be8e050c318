import { ValidationPipe, type HttpException, type ValidationError } from '@nestjs/common';
import { problem } from './problem.js';

/** Refuses undeclared properties. The code is that of the first fault, and the message names every field. */
export function strict(thing: 'field' | 'parameter'): ValidationPipe {
  return new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: (errors) => refusal(thing, errors),
  });
}

function refusal(thing: string, errors: readonly ValidationError[]): HttpException {
  const kinds = errors.map(({ constraints = {}, value }) => {
    if ('whitelistValidation' in constraints) return 'unknown';
    return value === undefined && thing === 'field' ? 'missing' : 'invalid';
  });
  const kind = ['missing', 'unknown', 'invalid'].find((it) => kinds.includes(it as (typeof kinds)[number]));
  const message = errors.flatMap(({ constraints = {} }) => Object.values(constraints)).join('; ');
  return problem(400, `${kind}_${thing}`, message);
}
