import { SpanKind, SpanStatusCode, type Attributes, type Context, type Span, type Tracer } from '@opentelemetry/api';
import type { ServerResponse } from 'node:http';
import { cleanLine } from '../logging/index.js';
import type { TracedExchange } from './tracing.js';

/** Where clients reach the API, the parts of it that spans tell. */
export type Server = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** Characters that a span keeps of a text that a client chose. */
const LONGEST = 256;

/** Begins the span of a request (OpenTelemetry semantic conventions 1.44, "HTTP server"). */
export function serverSpan(tracer: Tracer, exchange: TracedExchange, server: Server, caller: Context): Span {
  const { knownMethod, path, queryText, clientAddress, request } = exchange;
  const agent = request.headers['user-agent'];
  const attributes: Attributes = {
    'http.request.method': knownMethod,
    'url.path': told(path),
    'url.scheme': server.protocol.slice(0, -1),
    ...(queryText === '' ? {} : { 'url.query': redactQuery(queryText) }),
    'server.address': server.hostname,
    ...(server.port === '' ? {} : { 'server.port': Number(server.port) }),
    ...(clientAddress === undefined ? {} : { 'client.address': clientAddress }),
    ...(agent === undefined ? {} : { 'user_agent.original': told(agent) }),
  };
  return tracer.startSpan(nameOf(knownMethod), { kind: SpanKind.SERVER, attributes }, caller);
}

/** To be called when the response has closed. A client's fault is none of the service: only 5xx is an error. */
export function endServerSpan(span: Span, exchange: TracedExchange, response: ServerResponse): void {
  const { knownMethod, route, failure, clientAddress } = exchange;
  const { statusCode } = response;
  // Only now TRUST_PROXY was applied.
  if (clientAddress !== undefined) span.setAttribute('client.address', clientAddress);
  if (route !== undefined) {
    span.updateName(`${nameOf(knownMethod)} ${route.path}`);
    span.setAttribute('http.route', route.path);
  }
  if (response.headersSent) span.setAttribute('http.response.status_code', statusCode);
  if (!response.writableFinished) span.setAttribute('error.type', 'aborted');
  else if (statusCode >= 500) {
    span.setAttribute('error.type', failure?.code ?? String(statusCode));
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

function nameOf(knownMethod: string): string {
  return knownMethod === '_OTHER' ? 'HTTP' : knownMethod;
}

function told(text: string): string {
  return cleanLine(text).slice(0, LONGEST);
}

/** Parameters that are told; more are of no use to anybody. */
const MOST = 16;
const NAME = /^[a-z]\w{0,31}$/i;

/**
 * A query for a span: the names of its parameters, without their values. What does not look like a name could be
 * anything, a pasted key as well.
 *
 * @param text as it was sent, without the `?`.
 */
export function redactQuery(text: string): string {
  return text
    .split('&', MOST)
    .map((pair) => {
      const [name = '', value] = pair.split('=', 2);
      return value !== undefined && NAME.test(name) && !/^as_(live|test)_/i.test(name)
        ? `${name}=REDACTED`
        : 'REDACTED';
    })
    .join('&');
}
