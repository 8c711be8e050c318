import {
  SpanKind,
  SpanStatusCode,
  type Attributes,
  type Context,
  type Span,
  type Tracer,
  type Link,
} from '@opentelemetry/api';
import type { ServerResponse } from 'node:http';
import { cleanLine } from '../logging/index.js';
import type { TracedExchange, Statement } from './tracing.js';

/** Where clients reach the API, the parts of it that spans have. */
export type Server = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** Characters that a span keeps of a text that a client chose. */
const LONGEST = 256;

/** Begins the span of a request (OpenTelemetry semantic conventions 1.44, "HTTP server"). */
export function serverSpan(tracer: Tracer, exchange: TracedExchange, server: Server, caller: Context): Span {
  const { knownMethod, path, queryText, clientAddress, request } = exchange;
  const agent = request.headers['user-agent'];
  const attributes: Attributes = {
    'http.request.method': knownMethod,
    'url.path': limited(path),
    'url.scheme': server.protocol.slice(0, -1),
    ...(queryText === '' ? {} : { 'url.query': redactQuery(queryText) }),
    'server.address': server.hostname,
    ...(server.port === '' ? {} : { 'server.port': Number(server.port) }),
    ...(clientAddress === undefined ? {} : { 'client.address': clientAddress }),
    ...(agent === undefined ? {} : { 'user_agent.original': limited(agent) }),
  };
  return tracer.startSpan(nameOf(knownMethod), { kind: SpanKind.SERVER, attributes }, caller);
}

/** To be called when the response has closed. Only 5xx is an error; 4xx is the client's fault. */
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

function limited(text: string): string {
  return cleanLine(text).slice(0, LONGEST);
}

/** Parameters that a span has; more are of no use to anybody. */
const MOST_PARAMETERS = 16;
const NAME = /^[a-z]\w{0,31}$/i;

/**
 * A query for a span: the names of its parameters, without their values. What does not look like a name could be
 * anything, a pasted key as well.
 *
 * @param text as it was sent, without the `?`.
 */
export function redactQuery(text: string): string {
  return text
    .split('&', MOST_PARAMETERS)
    .map((pair) => {
      const [name = '', value] = pair.split('=', 2);
      return value !== undefined && NAME.test(name) && !/^as_(live|test)_/i.test(name)
        ? `${name}=REDACTED`
        : 'REDACTED';
    })
    .join('&');
}

/** The span of a statement that ended just now (OpenTelemetry semantic conventions 1.44, "SQL"). No value is in it. */
export function databaseSpan(tracer: Tracer, statement: Statement, place: Context, links: Link[]): Span {
  const { sql, system, namespace, operation, collection, startedAt, fault } = statement;
  const summary = `${operation} ${collection}`.trimEnd();
  const attributes = {
    'db.system.name': system,
    'db.namespace': namespace,
    'db.operation.name': operation,
    ...(collection === '' ? {} : { 'db.collection.name': collection }),
    'db.query.summary': summary,
    'db.query.text': parameterised(sql, system),
    ...(fault?.status === undefined ? {} : { 'db.response.status_code': fault.status }),
    ...(fault === undefined ? {} : { 'error.type': fault.type }),
  };
  const span = tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes, links, startTime: startedAt }, place);
  if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(performance.now());
  return span;
}

/** Texts to remember: a feature that puts values into its statements has more and more of them. */
const MOST_STATEMENTS = 1000;

/** Strings in single quotes, and numbers that are no part of a name. */
const LITERAL = /'(?:[^'\\]|''|\\.)*'|\bx'[0-9a-f]*'|(?<![\w`.])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gis;

/** Those of MySQL, for which double quotes are those of a string too: of a name they are on SQLite, as in the standard. */
const MYSQL_LITERAL = new RegExp(`"(?:[^"\\\\]|""|\\\\.)*"|${LITERAL.source}`, LITERAL.flags);

const texts = { mysql: new Map<string, string>(), others: new Map<string, string>() };

/**
 * A statement with `?` for every value that stands in its text: those that are parameters have one already.
 *
 * @param system as OpenTelemetry names it.
 */
export function parameterised(sql: string, system: string): string {
  const isMysql = system === 'mysql';
  const known = isMysql ? texts.mysql : texts.others;
  let text = known.get(sql);
  if (text === undefined) {
    text = sql.replace(isMysql ? MYSQL_LITERAL : LITERAL, '?');
    if (known.size < MOST_STATEMENTS) known.set(sql, text);
  }
  return text;
}
