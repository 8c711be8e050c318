import type { Level } from 'pino';
import { cleanLine, describeError, messageOf } from '../logging/index.js';
import { onStopSignal, type StopSignal } from '../runtime/index.js';
import { StartFault } from '../start-fault.js';
import { version } from '../version.js';
import type { Application } from './application.js';

/** Milliseconds that a process with an unknown fault has to finish what it is doing, all in all. */
const CRASH_MS = 5000;
/** Times for a stop after a crash: requests in flight may end, and no balancer is waited for. */
const CRASH_STOP = { delayMs: 0, timeoutMs: 3500, closeMs: 500 };

/**
 * Runs `work`; what stops it is printed on stderr, in plain words where they are known, with the fault's exit code. In
 * production, where no person reads along, it is a line of the log, for whoever collects those.
 *
 * @param command whether `work` is a command rather than the service.
 */
export async function exitOnFault(work: () => Promise<void>, command = false): Promise<void> {
  try {
    await work();
  } catch (error) {
    const said = command ? 'The command failed' : 'The service could not start';
    const isKnown = error instanceof StartFault;
    const text = isKnown
      ? error.message
      : `${said}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    process.stderr.write(isLogged() ? logLine(error, said, command) : `${text}\n`);
    process.exit(isKnown ? error.exitCode : 1);
  }
}

/** What a command says of its fault, with a line's end, in the form in which `exitOnFault` prints one. */
export function commandFault(text: string): string {
  return isLogged() ? logLine(new StartFault(text.trimEnd()), '', true) : text;
}

/** As the configuration decides it, which may be what is faulty. */
function isLogged(): boolean {
  const { NODE_ENV, LOG_FORMAT } = process.env;
  return NODE_ENV === 'production' && (LOG_FORMAT ? LOG_FORMAT !== 'pretty' : !process.stderr.isTTY);
}

/** Without a logger, for the same reason. */
function logLine(fault: unknown, said: string, command: boolean): string {
  const head = { level: 'fatal', time: new Date().toISOString(), service: 'animal-store', version, pid: process.pid };
  const event = command ? { event: 'command.failed' } : { event: 'app.refused' };
  const why =
    fault instanceof StartFault
      ? { msg: fault.message }
      : { err: describeError(fault), msg: fault instanceof Error ? `${said}: ${messageOf(fault)}` : said };
  return cleanLine(`${JSON.stringify({ ...head, ...event, ...why })}\n`);
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
