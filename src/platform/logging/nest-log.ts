import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';
import { framesOf, messageOf } from './redaction.js';

/** Nest's own words, in the service's log. What Nest says at start of each module and route is for debugging. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, context?: unknown): void {
    this.target.debug({ context }, textOf(message));
  }

  /** @param rest a stack, if there is one, then the context. */
  error(message: unknown, ...rest: unknown[]): void {
    const stack = rest.length > 1 ? framesOf(String(rest[0])) : undefined;
    this.target.error({ context: rest.at(-1), stack, ...errorIn(message) }, textOf(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.target.warn({ context }, textOf(message));
  }

  debug(message: unknown, context?: unknown): void {
    this.target.debug({ context }, textOf(message));
  }

  verbose(message: unknown, context?: unknown): void {
    this.target.trace({ context }, textOf(message));
  }

  fatal(message: unknown, context?: unknown): void {
    this.target.fatal({ context, ...errorIn(message) }, textOf(message));
  }
}

function errorIn(message: unknown): object {
  return message instanceof Error ? { err: message } : {};
}

/** An error speaks by its message, unless a driver wrote it. */
function textOf(message: unknown): string {
  return message instanceof Error ? messageOf(message) : String(message);
}
