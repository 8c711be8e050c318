import type { LoggerService } from '@nestjs/common';
import type { Level } from 'pino';
import type { Log } from './log.js';
import { describeError, framesOf, messageOf } from './redaction.js';

/**
 * The context of Nest's own line about a failed start. Nest also throws the error, and the code that catches it logs
 * it.
 */
const LOGGED_BY_ITS_CATCHER = 'ExceptionHandler';

/** The contexts of Nest's lines about each module and route at the start. These lines are logged at level debug. */
const NEST: ReadonlySet<unknown> = new Set([
  'InstanceLoader',
  'LegacyRouteConverter',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Fields that the service itself sets. A caller's field with one of these names gets a `_` at its end. */
const RESERVED: ReadonlySet<string> = new Set(
  'level time pid service version msg context stack request_id trace_id span_id feature'.split(' '),
);

/**
 * Writes the lines of Nest's `Logger` into the log of the service. Texts become the message, the fields of an object
 * become fields of the line, and an error becomes `err`.
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

  /** @param rest a stack, errors, objects and further texts, all optional. A text at the end is the context. */
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
    // The serializers of the log already describe `err` and `error`.
    field instanceof Error && name !== 'err' && name !== 'error' ? describeError(field) : field,
  ]);
}

/** The message of an error, unless a database driver wrote it. */
function wordsOf(message: unknown): string {
  return message instanceof Error ? messageOf(message) : String(message);
}
