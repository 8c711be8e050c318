import type { LoggerService } from '@nestjs/common';
import type { Level } from 'pino';
import type { Log } from './log.js';
import { framesOf, messageOf } from './redaction.js';

/** Nest's name for who logs a fault of the start and then throws it to whoever started it, who tells of it too. */
const TELLS_TWICE = 'ExceptionHandler';

/** Nest's own words, in the service's log. What Nest says at start of each module and route is for debugging. */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.say('debug', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (message instanceof Error && rest.at(-1) === TELLS_TWICE) return;
    this.say('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.say('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.say('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.say('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.say('fatal', message, rest);
  }

  /** @param rest a stack, errors and more words, if there are any; then who says it. */
  private say(level: Level, message: unknown, rest: readonly unknown[]): void {
    const beside = rest.slice(0, -1).filter((value) => value !== undefined);
    const stack = beside.find(isStack);
    const err = [message, ...beside].find((value) => value instanceof Error);
    const words = [message, ...beside.filter((value) => value !== err && value !== stack)];
    this.target[level]({ context: rest.at(-1), stack: framesOf(stack), err }, words.map(wordsOf).join(' '));
  }
}

function isStack(value: unknown): value is string {
  return typeof value === 'string' && framesOf(value) !== undefined;
}

/** An error speaks by its message, unless a driver wrote it. */
function wordsOf(message: unknown): string {
  return message instanceof Error ? messageOf(message) : String(message);
}
