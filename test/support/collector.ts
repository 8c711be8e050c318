import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

/** A span in OTLP's JSON. */
interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
}

interface Batch {
  readonly resource: { readonly attributes: readonly Attribute[] };
  readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
}

export interface Span extends Omit<WireSpan, 'attributes' | 'links' | 'kind' | 'status'> {
  readonly attributes: Readonly<Record<string, string | number>>;
  /** The ids of the spans that this span links to. */
  readonly links: readonly string[];
  readonly kind: 'server' | 'client' | 'other';
  readonly status: 'unset' | 'ok' | 'error';
}

export interface Export {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An OpenTelemetry collector. It accepts exports and answers them, unless a test makes it hang. */
export class Collector {
  readonly #server: Server;
  readonly exports: Export[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param tls the certificate files, for a collector that speaks only TLS. */
  static async start({
    hangs = false,
    tls,
  }: { hangs?: boolean; tls?: { readonly certificate: string; readonly key: string } } = {}): Promise<Collector> {
    const server =
      tls === undefined
        ? createServer()
        : createTlsServer({ cert: readFileSync(tls.certificate), key: readFileSync(tls.key) });
    const collector = new Collector(server);
    server.on('request', (request, response) => {
      void buffer(request).then((body) => {
        collector.exports.push({ path: request.url ?? '', headers: request.headers, body });
        if (!hangs) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await once(server.unref().listen(0, '127.0.0.1'), 'listening');
    return collector;
  }

  /** The value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  get url(): string {
    const scheme = 'setSecureContext' in this.#server ? 'https' : 'http';
    return `${scheme}://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  /** Everything that was exported, as text. */
  get text(): string {
    return this.exports.map(({ body }) => body.toString('latin1')).join('\n');
  }

  /** Every span so far that was exported as JSON. */
  get spans(): readonly Span[] {
    return this.#batches().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(readable)));
  }

  /** The resource attributes of the first export: the process that it came from. */
  get resource(): Span['attributes'] {
    return valuesOf(this.#batches()[0]?.resource.attributes ?? []);
  }

  /** All spans received so far, as soon as one of them matches. Rejects after `limitMs` milliseconds. */
  async until(matches: (span: Span) => boolean, limitMs = 60_000): Promise<Span> {
    const deadline = Date.now() + limitMs;
    for (;;) {
      const found = this.spans.find(matches);
      if (found !== undefined) return found;
      if (Date.now() > deadline) throw new Error(`No such span within ${String(limitMs)} ms:\n${this.text}`);
      await sleep(50);
    }
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #batches(): readonly Batch[] {
    return this.exports
      .filter(({ headers }) => headers['content-type'] === 'application/json')
      .flatMap(({ body }) => (JSON.parse(body.toString()) as { resourceSpans: readonly Batch[] }).resourceSpans);
  }
}

const KINDS: Readonly<Record<number, Span['kind']>> = { 2: 'server', 3: 'client' };
const STATUSES = ['unset', 'ok', 'error'] as const;

function readable({ attributes, links = [], kind, status, ...span }: WireSpan): Span {
  return {
    ...span,
    attributes: valuesOf(attributes),
    links: links.map(({ spanId }) => spanId),
    kind: KINDS[kind] ?? 'other',
    status: STATUSES[status.code ?? 0] ?? 'unset',
  };
}

function valuesOf(attributes: readonly Attribute[]): Span['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)] as const),
  );
}
