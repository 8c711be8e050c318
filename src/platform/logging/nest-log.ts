import type { LoggerService } from '@nestjs/common';
import type { Level } from 'pino';
import type { Log } from './log.js';
import { describeError, framesOf, messageOf } from './redaction.js';

/** The context by which Nest logs a fault of the start. It throws the fault too, which is logged where it is caught. */
const LOGGED_BY_ITS_CATCHER = 'ExceptionHandler';

/** The contexts by which Nest logs each module and route at a start; these lines are for debugging. */
const NEST: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'LegacyRouteConverter',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** What a line of the service has of its own; a field that somebody else calls so gets another name. */
const RESERVED: ReadonlySet<string> = new Set(
  'level time pid service version msg context stack request_id trace_id span_id feature'.split(' '),
);

/**
 * `Logger` of @nestjs/common, in the service's log: its words are the line's message, the fields of an object are fields
 * of the line, an error is `err`.
 */
export class NestLog implements LoggerService {
  constructor(private readonly target: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(NEST.has(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    if (message instanceof Error && rest.at(-1) === LOGGED_BY_ITS_CATCHER) return;
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** @param rest a stack, errors, objects and more words, if there are any; a text that comes last is who says it. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const context = isName(rest.at(-1)) ? rest.at(-1) : undefined;
    const given = [message, ...(context === undefined ? rest : rest.slice(0, -1))];
    const values = given.filter((value) => value !== undefined);
    const stack = values.find(isStack);
    const err = values.find((value) => value instanceof Error);
    const fields = Object.fromEntries(values.filter(isFields).flatMap(fieldsOf));
    const words = values.filter(
      (value) => !isFields(value) && (value === message || (value !== err && value !== stack)),
    );
    this.target[level]({ context, stack: framesOf(stack), err, ...fields }, words.map(wordsOf).join(' ') || undefined);
  }
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && !isStack(value);
}

function isStack(value: unknown): value is string {
  return typeof value === 'string' && framesOf(value) !== undefined;
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}

function fieldsOf(value: object): [name: string, field: unknown][] {
  if (Array.isArray(value)) return [['values', value]];
  return Object.entries(value).map(([name, field]: [string, unknown]) => [
    RESERVED.has(name) ? `${name}_` : name,
    // The log describes what is called so by itself.
    field instanceof Error && name !== 'err' && name !== 'error' ? describeError(field) : field,
  ]);
}

/** An error speaks by its message, unless a driver wrote it. */
function wordsOf(message: unknown): string {
  return message instanceof Error ? messageOf(message) : String(message);
}
