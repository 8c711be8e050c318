import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/index.js';
import { ApiError, coreErrors } from '../errors/index.js';
import { createHttpServer, requestIdOf, sizeFault } from '../http/index.js';
import type { Log } from '../logging/index.js';
import type { Metrics } from '../metrics/index.js';
import type { Health } from './health.js';

/** Limit of open connections. Probes and scrapers need fewer, and the API keeps enough file descriptors. */
const MOST_CONNECTIONS = 100;

/**
 * Serves probes and metrics without an API key, on a separate port. Load shedding and rate limits do not apply, and
 * clients are not routed here.
 */
export class ManagementServer {
  readonly server: Server;

  private readonly connections = new Set<Socket>();

  constructor(
    http: Config['http'],
    private readonly sources: { health: Health; liveness: Liveness; metrics: Metrics | undefined },
    private readonly log: Log,
  ) {
    const nothing = (): void => undefined;
    const handlers = {
      receive: (request: IncomingMessage, response: ServerResponse): void => {
        const requestId = requestIdOf(request);
        response.setHeader('X-Request-Id', requestId);
        this.answer(request, response).catch((error: unknown) => this.fail(error, requestId, response));
      },
      refuse,
      refused: nothing,
      closed: nothing,
    };
    this.server = createHttpServer(http, handlers);
    this.server.on('connection', (socket: Socket) => this.admit(socket));
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  /** Accepts the newest connection and closes the oldest one, so a probe can always connect. */
  private admit(socket: Socket): void {
    this.connections.add(socket);
    socket.once('close', () => this.connections.delete(socket));
    if (this.connections.size <= MOST_CONNECTIONS) return;
    const [oldest] = this.connections;
    oldest?.destroy();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fault = headFault(request);
    if (fault !== undefined) return refuse(response, fault);
    const path = request.url?.split('?', 1)[0] ?? '';
    const probe = this.probe(path);
    const { metrics } = this.sources;
    if (probe !== undefined) send(response, probe.ok ? 200 : 503, probe.body);
    else if (path === '/metrics' && metrics !== undefined) await this.expose(metrics, response);
    else refuse(response, new ApiError(coreErrors.routeNotFound));
  }

  /** `/metrics` also collects the metrics of features, so a request can fail. */
  private fail(error: unknown, requestId: string, response: ServerResponse): void {
    const fields = { event: 'request.failed', request_id: requestId, err: error };
    this.log.error(fields, 'A request to the management port failed unexpectedly');
    refuse(response, new ApiError(coreErrors.internalError));
  }

  private probe(path: string): { ok: boolean; body: object } | undefined {
    const { health, liveness } = this.sources;
    switch (path) {
      case '/livez':
        return { ok: liveness.isAlive, body: { status: liveness.isAlive ? 'ok' : 'stalled' } };
      case '/readyz':
        return { ok: health.isReady, body: readiness(health) };
      case '/startupz':
        return { ok: health.hasStarted, body: { status: health.hasStarted ? 'ok' : 'starting' } };
      default:
        return undefined;
    }
  }

  private async expose({ registry, ready }: Metrics, response: ServerResponse): Promise<void> {
    ready.set(this.sources.health.isReady ? 1 : 0);
    write(response, 200, registry.contentType, await registry.metrics());
  }
}

/** The body of /readyz. It has `reasons` only if a check fails for a known reason. */
function readiness(health: Health): object {
  const reasons = health.reasons();
  const shown = Object.keys(reasons).length > 0 ? { reasons } : {};
  return { status: health.isReady ? 'ok' : 'failing', checks: health.report(), ...shown };
}

function send(response: ServerResponse, status: number, body: object): void {
  write(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** Sends Content-Length, because an HTTP/1.0 client needs it to keep the connection open. */
function write(response: ServerResponse, status: number, type: string, text: string): void {
  // An invalid request body may have been refused while the metrics were collected.
  if (response.headersSent) return;
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

function headFault(request: IncomingMessage): ApiError | undefined {
  const { method } = request;
  if (method === 'CONNECT') return new ApiError(coreErrors.badRequest, 'There are no tunnels here.');
  const isKnown = method === 'GET' || method === 'HEAD';
  if (isKnown) return sizeFault(request);
  return new ApiError(coreErrors.methodNotAllowed, undefined, { headers: { Allow: 'GET, HEAD' } });
}

/** Refuses a request and closes the connection, because the bytes that follow a faulty request may be faulty too. */
function refuse(response: ServerResponse, { code, message, status, headers }: ApiError): void {
  if (response.headersSent) return;
  response.setHeader('Connection', 'close');
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  send(response, status, { code, message, status });
}

/** Milliseconds between two beats. */
const BEAT_MS = 500;

/**
 * Whether the event loop runs. It checks nothing else: a fault that all replicas share must not restart all of them.
 */
export class Liveness {
  private lastBeat = performance.now();
  private readonly timer: NodeJS.Timeout;

  /** @param maxStallMs LIVENESS_MAX_STALL_MS: how long the event loop may be blocked. Milliseconds. */
  constructor(private readonly maxStallMs: number) {
    this.timer = setInterval(() => (this.lastBeat = performance.now()), BEAT_MS).unref();
  }

  get isAlive(): boolean {
    return performance.now() - this.lastBeat < this.maxStallMs;
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
