/** A caller's trace, as W3C Trace Context puts it. */
export interface TraceContext {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits: the caller's span. */
  readonly spanId: string;
}

/** The 55 characters of version 00 are all of it; a later version may go on. */
const TRACEPARENT = /^(?!ff|00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;

/** Reads a `traceparent` header (W3C Trace Context §3.2). Anything malformed is as if it had not been sent. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string') return undefined;
  const [, traceId, spanId] = TRACEPARENT.exec(header) ?? [];
  return traceId === undefined || spanId === undefined ? undefined : { traceId, spanId };
}
