import { SpanKind, SpanStatusCode, type Context, type Link, type Span, type Tracer } from '@opentelemetry/api';
import type { Statement } from './tracing.js';

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
    'db.query.text': parameterised(sql),
    ...(fault?.status === undefined ? {} : { 'db.response.status_code': fault.status }),
    ...(fault === undefined ? {} : { 'error.type': fault.type }),
  };
  const span = tracer.startSpan(summary, { kind: SpanKind.CLIENT, attributes, links, startTime: startedAt }, place);
  if (fault !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(performance.now());
  return span;
}

/** Texts to remember; a feature that builds its statements out of values has no end of them. */
const MOST = 1000;

const known = new Map<string, string>();

/** Strings, as both engines quote them, and numbers that are no part of a name. */
const LITERAL = /'(?:[^'\\]|''|\\.)*'|\bx'[0-9a-f]*'|(?<![\w`.])\d+(?:\.\d+)?(?:e[+-]?\d+)?\b/gis;

/** A statement with `?` for every value that stands in its text: those that are parameters have one already. */
export function parameterised(sql: string): string {
  let text = known.get(sql);
  if (text === undefined) {
    text = sql.replace(LITERAL, '?');
    if (known.size < MOST) known.set(sql, text);
  }
  return text;
}
