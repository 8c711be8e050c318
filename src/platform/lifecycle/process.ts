import type { Level } from 'pino';
import { loadEnvironment, readVariable } from '../config/index.js';
import { cleanLine, describeError, messageOf } from '../logging/index.js';
import { onStopSignal, type StopSignal } from '../runtime/index.js';
import { StartFault } from '../errors/index.js';
import { version } from '../version.js';
import type { Application } from './application.js';

/** Milliseconds that the process has to exit after an unknown fault, in total. */
const CRASH_MS = 5000;
/** The times of a stop after a crash: running requests may end, and there is no delay for load balancers. */
const CRASH_STOP = { delayMs: 0, timeoutMs: 3500, closeMs: 500 };

/**
 * Runs `work`. If it fails, prints the error on stderr and exits with the code of the error, or with 1. A known error
 * is printed as plain words without a stack. In production the error is a log line, unless LOG_FORMAT is `pretty` or,
 * without LOG_FORMAT, stderr is a terminal.
 *
 * @param command whether `work` is a command rather than the service.
 */
export async function exitOnFault(work: () => Promise<void>, command = false): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { event, subject } = command
      ? { event: 'command.failed', subject: 'The command failed' }
      : { event: 'app.refused', subject: 'The service could not start' };
    process.stderr.write(
      isLogged() ? logLine('fatal', { event, ...fieldsOf(error, subject) }) : `${textOf(error, subject)}\n`,
    );
    process.exit(error instanceof StartFault ? error.exitCode : 1);
  }
}

function textOf(error: unknown, subject: string): string {
  if (error instanceof StartFault) return error.message;
  return `${subject}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

function fieldsOf(error: unknown, subject: string): object {
  if (error instanceof StartFault) return { msg: error.message };
  return { err: describeError(error), msg: error instanceof Error ? `${subject}: ${messageOf(error)}` : subject };
}

/** Formats the failure of a command as `exitOnFault` does. The text ends in a newline. */
export function commandFault(text: string): string {
  return isLogged() ? logLine('fatal', { event: 'command.failed', msg: text.trimEnd() }) : text;
}

/** Formats a hint of a command, such as what to do next, in the same way. */
export function commandHint(text: string): string {
  return isLogged() ? logLine('info', { event: 'command.hint', msg: text.trimEnd() }) : text;
}

/** Reads the configuration, or only the environment of the process if the configuration cannot be read. */
function isLogged(): boolean {
  const env = orElse(() => loadEnvironment(), process.env);
  const nodeEnv = orElse(() => readVariable(env, 'NODE_ENV'), env['NODE_ENV']);
  const format = orElse(() => readVariable(env, 'LOG_FORMAT'), env['LOG_FORMAT']);
  return nodeEnv === 'production' && (format ? format !== 'pretty' : !process.stderr.isTTY);
}

function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Works without a logger, because the logger's configuration may be the fault. */
function logLine(level: Level, fields: object): string {
  const head = { level, time: new Date().toISOString(), service: 'animal-store', version, pid: process.pid };
  return cleanLine(`${JSON.stringify({ ...head, ...fields })}\n`);
}

/**
 * Stops the application at SIGTERM, SIGHUP and SIGINT. Exit codes: 0 if everything ended in time, 1 if something was
 * cut off or failed, 130 at a second SIGINT.
 *
 * @param starting if the application is still being created, it serves nobody, and the process exits at once.
 */
export function stopOnSignal(starting: Application | Promise<Application>): void {
  let application: Application | undefined;
  let stopping = false;
  void Promise.resolve(starting).then(
    (started) => (application = started),
    // The caller that awaits it reports the error.
    () => undefined,
  );
  const stop = (signal: StopSignal): void => {
    // A second SIGTERM must not abort a drain. A second Ctrl-C comes from a person who does not want to wait.
    if (stopping && signal !== 'SIGINT') return;
    if (stopping) process.exit(130);
    stopping = true;
    if (application === undefined) process.exit(0);
    const { log } = application;
    application.stop().then(
      (whole) => process.exit(whole ? process.exitCode : 1),
      (error: unknown) => {
        log.fatal({ event: 'app.crashed', err: error }, 'The stop failed');
        process.exit(1);
      },
    );
  };
  onStopSignal(stop);
}

/** Prevents SIGUSR1 from opening Node's debugger, which runs any code for every client of its port. */
export function refuseDebugger(): void {
  process.on('SIGUSR1', () => undefined);
}

/**
 * SIGUSR2 sets the log level to `debug`, and the next SIGUSR2 resets it to LOG_LEVEL. An incident can be examined
 * without a restart.
 */
export function changeLogLevelOnSignal({ log }: Application): void {
  const configured = log.level;
  process.on('SIGUSR2', () => {
    log.level = log.level === configured ? 'debug' : configured;
    log[log.level as Level](
      { event: 'log.level', log_level: log.level },
      `Lines of ${log.level} and above are written`,
    );
  });
}

/**
 * After an uncaught error the state of the process is unknown. Logs one line, drains for at most 5 seconds, and exits
 * with 1.
 */
export function crashOnUnknownFault(application: Application): void {
  let crashing = false;
  const crash = (error: unknown): void => {
    if (crashing) return;
    crashing = true;
    process.exitCode = 1;
    application.log.fatal({ event: 'app.crashed', err: error }, 'An unknown fault; stopping');
    setTimeout(() => process.exit(1), CRASH_MS);
    const exit = (): void => process.exit(1);
    application.stop(CRASH_STOP).then(exit, exit);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
