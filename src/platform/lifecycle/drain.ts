import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTime } from '../time.js';
import type { Log } from '../logging/index.js';
import type { ExchangeObserver } from './exchange-observer.js';
import type { StopTimes } from './application.js';

/** Milliseconds without a request after which what is still connected has none to finish. */
const QUIET_MS = 1000;
/** Milliseconds that connections have to close once they were destroyed. */
const CLOSE_MS = 500;

/**
 * Ends a server's traffic. The answers say `Connection: close`; only then is the server closed,
 * which drops idle keep-alive connections at once (nodejs/node#60617).
 *
 * @returns false when requests had to be cut off; the log names their routes.
 */
export async function drain(server: Server, observer: ExchangeObserver, times: StopTimes, log: Log): Promise<boolean> {
  observer.drain();
  await sleep(times.delayMs);
  // `close` of an HTTP server also stops what answers 408 to those that send too slowly.
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
    // Each of them has its line in the log once its connection is closed, which is later than the server's close.
    const end = performance.now() + CLOSE_MS;
    while (observer.inFlight().length > 0 && performance.now() < end) await sleep(5);
  }
  return whole;
}

/** Who is connected and sends nothing, or half of a head, is not waited for; nor does an event stream end by itself. */
async function closeWhenQuiet(server: Server, observer: ExchangeObserver, over: AbortSignal): Promise<void> {
  for (let quietSince = performance.now(); !over.aborted; await sleep(50)) {
    observer.endEventStreams();
    if (observer.inFlight().length > 0) quietSince = performance.now();
    else if (performance.now() - quietSince >= QUIET_MS) return server.closeAllConnections();
  }
}
