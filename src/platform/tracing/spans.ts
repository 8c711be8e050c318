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

/** The parts of the public URL that spans record. */
export type Server = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** Characters. A longer text from a client is shortened. */
const LONGEST = 256;

/** Starts the span of a request (OpenTelemetry semantic conventions 1.44, "HTTP server"). */
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

/** Call this when the response has closed. Only 5xx is an error; 4xx is the client's fault. */
export function endServerSpan(span: Span, exchange: TracedExchange, response: ServerResponse): void {
  const { knownMethod, route, failure, clientAddress } = exchange;
  const { statusCode } = response;
  // At the start of the span, TRUST_PROXY was not applied yet.
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

/** Parameters that a span records at most. */
const MOST_PARAMETERS = 16;
const NAME = /^[a-z]\w{0,31}$/i;

/**
 * The query for a span: the names of its parameters without their values. A part that does not look like a name could
 * be anything, even a pasted key, and is replaced.
 *
 * @param text the query as it was sent, without the `?`.
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

/**
 * Creates the span of a statement that has just ended (OpenTelemetry semantic conventions 1.44, "SQL"). It holds no
 * values.
 */
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

/**
 * Statements in the cache. It is bounded, because a feature that writes values into its SQL has ever more statements.
 */
const MOST_STATEMENTS = 1000;

/** Strings in single quotes, and numbers that are not part of a name. */
const LITERAL = /'(?:[^'\\]|''|\\.)*'|\bx'[0-9a-f]*'|(?<![\w`.])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gis;

/** In MySQL, double quotes also enclose strings. On SQLite and in standard SQL they enclose names. */
const MYSQL_LITERAL = new RegExp(`"(?:[^"\\\\]|""|\\\\.)*"|${LITERAL.source}`, LITERAL.flags);

const texts = { mysql: new Map<string, string>(), others: new Map<string, string>() };

/**
 * Replaces every value in the text of a statement by `?`. Parameters already are `?`.
 *
 * @param system the name of the database system in OpenTelemetry.
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
