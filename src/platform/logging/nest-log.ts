import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';
import { framesOf, messageOf } from './redaction.js';

/** Nest's name for who tells of a fault at the start, and then throws it to whoever started it, who tells of it too. */
const TELLS_TWICE = 'ExceptionHandler';

/** Nest's own words, in the service's log. What Nest says at start of each module and route is for debugging. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, context?: unknown): void {
    this.target.debug({ context }, wordsOf(message));
  }

  /** @param rest a stack, if there is one, then the context. */
  error(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (context === TELLS_TWICE) return;
    const stack = rest.length > 1 ? framesOf(String(rest[0])) : undefined;
    this.target.error({ context, stack, ...errorIn(message) }, wordsOf(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.target.warn({ context }, wordsOf(message));
  }

  debug(message: unknown, context?: unknown): void {
    this.target.debug({ context }, wordsOf(message));
  }

  verbose(message: unknown, context?: unknown): void {
    this.target.trace({ context }, wordsOf(message));
  }

  fatal(message: unknown, context?: unknown): void {
    this.target.fatal({ context, ...errorIn(message) }, wordsOf(message));
  }
}

function errorIn(message: unknown): object {
  return message instanceof Error ? { err: message } : {};
}

/** An error speaks by its message, unless a driver wrote it. */
function wordsOf(message: unknown): string {
  return message instanceof Error ? messageOf(message) : String(message);
}
