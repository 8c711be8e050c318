import type { Level } from 'pino';
import { loadEnvironment, readVariable } from '../config/index.js';
import { cleanLine, describeError, messageOf } from '../logging/index.js';
import { onStopSignal, type StopSignal } from '../runtime/index.js';
import { StartFault } from '../errors/index.js';
import { version } from '../version.js';
import type { Application } from './application.js';

/** Milliseconds that a process with an unknown fault has to finish what it is doing, all in all. */
const CRASH_MS = 5000;
/** Times for a stop after a crash: requests in flight may end, and no balancer is waited for. */
const CRASH_STOP = { delayMs: 0, timeoutMs: 3500, closeMs: 500 };

/**
 * Runs `work`; what stops it is printed on stderr, in plain words where they are known, with the fault's exit code. In
 * production, whose output is collected, not read on a terminal, it is a line of the log.
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

/** The text of a command's failure, which ends in a newline, in the form in which `exitOnFault` prints failures. */
export function commandFault(text: string): string {
  return isLogged() ? logLine('fatal', { event: 'command.failed', msg: text.trimEnd() }) : text;
}

/** A hint of a command, such as what to do next, in the same form. */
export function commandHint(text: string): string {
  return isLogged() ? logLine('info', { event: 'command.hint', msg: text.trimEnd() }) : text;
}

/** As the configuration says, or where that cannot be read, as the environment of the process says. */
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

/** Without a logger, since the configuration of one may be what is faulty. */
function logLine(level: Level, fields: object): string {
  const head = { level, time: new Date().toISOString(), service: 'animal-store', version, pid: process.pid };
  return cleanLine(`${JSON.stringify({ ...head, ...fields })}\n`);
}

/**
 * SIGTERM, SIGHUP and SIGINT stop the application: exit 0 when nothing was lost, 1 when requests had to be cut off.
 *
 * @param starting one that is still being put together serves nobody: the process ends at once.
 */
export function stopOnSignal(starting: Application | Promise<Application>): void {
  let application: Application | undefined;
  let stopping = false;
  void Promise.resolve(starting).then(
    (started) => (application = started),
    // Whoever waits for it reports why.
    () => undefined,
  );
  const stop = (signal: StopSignal): void => {
    // A second SIGTERM must not abort a drain; a second Ctrl-C is a person who will not wait.
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

/** Keeps SIGUSR1 from opening Node's debugger, which runs any code for whoever connects to its port. */
export function refuseDebugger(): void {
  process.on('SIGUSR1', () => undefined);
}

/** SIGUSR2 lets lines of `debug` through, the next one as `LOG_LEVEL` says again: an incident is looked into without a restart. */
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
 * A fault that nobody caught leaves the process in a state that nobody knows: one line, a drain of at most 5 seconds,
 * exit 1.
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
