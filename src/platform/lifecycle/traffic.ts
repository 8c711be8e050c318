import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartFault } from '../errors/index.js';
import type { ExchangeObserver } from '../http/index.js';
import type { Log } from '../logging/index.js';
import { inTime } from '../time.js';

/** Milliseconds without a running request after which the remaining connections are closed. */
const QUIET_MS = 1000;
/** Milliseconds that destroyed connections have to close. */
const CLOSE_MS = 500;

/** How long the steps of a stop may take. */
export interface StopTimes {
  /** Milliseconds during which the service still serves, so that load balancers see that this replica is not ready. */
  readonly delayMs: number;
  /** Milliseconds that requests have to finish after the delay. */
  readonly timeoutMs: number;
  /** Milliseconds that hooks and the database have at least, however long requests took. */
  readonly closeMs: number;
}

/** The error for a port that the process cannot listen on, in plain words for the operator. */
export class ListenError extends StartFault {
  /** @param variable the environment variable of the port. */
  constructor(variable: string, host: string, port: number, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown fault';
    super(`${variable} ${port} on ${host} cannot be listened on: ${REASONS[code]?.(variable, code) ?? `${code}.`}`, {
      cause,
    });
    this.name = 'ListenError';
  }
}

const noAddress = (_: string, code: string): string =>
  `no address is found for this name (${code}). Set HOST to an address.`;

/** The reason for each error code, and what to change. Both ports are on `HOST`. */
const REASONS: Readonly<Record<string, (variable: string, code: string) => string>> = {
  EADDRINUSE: (variable) => `another process listens there (EADDRINUSE). Set ${variable} to another port.`,
  EADDRNOTAVAIL: () => 'this machine has no such address (EADDRNOTAVAIL). Set HOST to one that it has.',
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
  EACCES: (variable) => `this user may not (EACCES). Set ${variable} to a port above 1023.`,
};

/**
 * @param variable the environment variable of the port.
 * @param port 0 for any free port.
 * @returns the port that the server listens on.
 * @throws {ListenError} (rejects)
 */
export async function listen(variable: string, server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(variable, host, port, error);
  }
  return (server.address() as AddressInfo).port;
}

/**
 * Ends the traffic of a server. First all answers get `Connection: close`. The server is closed only after that,
 * because its close drops idle keep-alive connections at once (nodejs/node#60617).
 *
 * @returns false if requests were cut off; the log names their routes.
 */
export async function drain(server: Server, observer: ExchangeObserver, times: StopTimes, log: Log): Promise<boolean> {
  observer.drain();
  await sleep(times.delayMs);
  // `close` of an HTTP server would also stop the timer that answers 408 to slow requests.
  const closed = new Promise<boolean>((resolve) => NetServer.prototype.close.call(server, () => resolve(true)));
  server.closeIdleConnections();
  const over = new AbortController();
  void closeWhenQuiet(server, observer, over.signal);
  const whole = await inTime(times.timeoutMs, closed);
  over.abort();
  if (!whole) {
    const stuck = observer.inFlight().map(({ method, route, id }) => ({
      method,
      route: route?.path,
      request_id: id,
    }));
    log.error({ event: 'app.cut_off', stuck }, 'Requests were cut off at the shutdown timeout');
    server.closeAllConnections();
    // Each request is logged when its connection is closed, which is later than the close of the server.
    const end = performance.now() + CLOSE_MS;
    while (observer.inFlight().length > 0 && performance.now() < end) await sleep(5);
  }
  return whole;
}

/**
 * Ends the event streams, which do not end by themselves. Closes all connections when no request has run for QUIET_MS,
 * even if a client has sent half of a head.
 */
async function closeWhenQuiet(server: Server, observer: ExchangeObserver, over: AbortSignal): Promise<void> {
  for (let quietSince = performance.now(); !over.aborted; await sleep(50)) {
    observer.endEventStreams();
    if (observer.inFlight().length > 0) quietSince = performance.now();
    else if (performance.now() - quietSince >= QUIET_MS) return server.closeAllConnections();
  }
}
