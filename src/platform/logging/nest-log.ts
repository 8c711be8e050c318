import type { LoggerService } from '@nestjs/common';
import type { Log } from './log.js';

/** Nest's own words, in the service's log. What Nest says at start of each module and route is for debugging. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, context?: unknown): void {
    this.target.debug({ context }, String(message));
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.target.error({ context: rest.at(-1), ...(message instanceof Error ? { err: message } : {}) }, String(message));
  }

  warn(message: unknown, context?: unknown): void {
    this.target.warn({ context }, String(message));
  }

  debug(message: unknown, context?: unknown): void {
    this.target.debug({ context }, String(message));
  }

  verbose(message: unknown, context?: unknown): void {
    this.target.trace({ context }, String(message));
  }

  fatal(message: unknown, context?: unknown): void {
    this.target.fatal({ context }, String(message));
  }
}
