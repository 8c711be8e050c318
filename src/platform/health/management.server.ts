import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { refuseConnection } from '../http/index.js';
import { coreErrors, statusOfCategory, type ErrorCode } from '../errors/index.js';
import type { Log } from '../logging/index.js';
import type { Metrics } from '../metrics/index.js';
import type { Health } from './health.js';
import type { Liveness } from './liveness.js';

/** Probes and metrics, without a key, on a port of their own: never shed, limited or routed to clients. */
export class ManagementServer {
  readonly server: Server;

  constructor(
    private readonly health: Health,
    private readonly liveness: Liveness,
    private readonly metrics: Metrics | undefined,
    private readonly log: Log,
  ) {
    const answer = (request: IncomingMessage, response: ServerResponse): void => {
      this.answer(request, response).catch((error: unknown) => this.fail(error, response));
    };
    // Node's own refusals have no body.
    this.server = createServer({ requireHostHeader: false }, answer)
      .on('checkExpectation', answer)
      .on('connect', (_request, socket) => refuseConnection(new Error('There are no tunnels here'), socket))
      .on('clientError', (error, socket) => refuseConnection(error, socket));
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, coreErrors.methodNotAllowed, { Allow: 'GET, HEAD' });
      return;
    }
    const path = request.url?.split('?', 1)[0] ?? '';
    const probe = this.probe(path);
    if (probe !== undefined) send(response, probe.ok ? 200 : 503, probe.body);
    else if (path === '/metrics' && this.metrics !== undefined) await this.expose(this.metrics, response);
    else refuse(response, coreErrors.routeNotFound);
  }

  /** What is asked for comes from features too. */
  private fail(error: unknown, response: ServerResponse): void {
    this.log.error({ event: 'request.failed', err: error }, 'A request to the management port failed unexpectedly');
    refuse(response, coreErrors.internalError);
  }

  private probe(path: string): { ok: boolean; body: object } | undefined {
    const { health, liveness } = this;
    switch (path) {
      case '/livez':
        return { ok: liveness.isAlive, body: { status: liveness.isAlive ? 'ok' : 'stalled' } };
      case '/readyz':
        return { ok: health.isReady, body: { status: health.isReady ? 'ok' : 'failing', checks: health.report() } };
      case '/startupz':
        return { ok: health.hasStarted, body: { status: health.hasStarted ? 'ok' : 'starting' } };
      default:
        return undefined;
    }
  }

  private async expose({ registry, ready }: Metrics, response: ServerResponse): Promise<void> {
    ready.set(this.health.isReady ? 1 : 0);
    write(response, 200, registry.contentType, await registry.metrics());
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  write(response, status, 'application/json; charset=utf-8', JSON.stringify(body));
}

/** With its length, which a client of HTTP/1.0 needs to keep its connection. */
function write(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(text);
}

function refuse(
  response: ServerResponse,
  { code, category, message }: ErrorCode,
  headers: Record<string, string> = {},
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  send(response, statusOfCategory[category], { code, message, status: statusOfCategory[category] });
}
