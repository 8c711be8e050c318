import { Agent, type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { parse, stringify } from 'lossless-json';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as the service wrote it, numbers included. */
  readonly text: string;
  /** The parsed body. An integer that a JavaScript number would round is a `bigint`. */
  json(): unknown;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A string or bytes are sent unchanged, anything else as JSON. A `bigint` is written as plain digits. */
  readonly body?: unknown;
}

/** A client of one service. It sends JSON, returns the exact text, follows no redirects and keeps connections alive. */
export class HttpClient {
  readonly #base: string;
  readonly #key: string | undefined;

  /**
   * @param base the URL of the service.
   * @param key sent as a bearer token. Default: none.
   */
  constructor(base: string, key?: string) {
    this.#base = base;
    this.#key = key;
  }

  get(path: string, options?: RequestOptions): Promise<Answer> {
    return this.request('GET', path, options);
  }

  post(path: string, body: unknown, options?: RequestOptions): Promise<Answer> {
    return this.request('POST', path, { ...options, body });
  }

  async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const body = asBytes(options.body);
    const headers = {
      ...(this.#key !== undefined && { authorization: `Bearer ${this.#key}` }),
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(body.length) }),
      ...options.headers,
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const outgoing = request(this.#base, { agent, method, path, headers: headers });
      outgoing.once('response', resolve).once('error', reject).end(body);
    });
    return asAnswer(response, await readText(response));
  }
}

function asBytes(body: unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  return Buffer.from(exactJson(body));
}

/** Writes JSON in which a `bigint` is a plain number. */
export function exactJson(value: unknown): string {
  return stringify(value) ?? '';
}

/** Parses JSON in which an integer beyond 2^53 becomes a `bigint`. */
export function parseExactJson(text: string): unknown {
  return parse(text, undefined, (digits) => {
    const number = Number(digits);
    return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? BigInt(digits) : number;
  });
}

function asAnswer(response: IncomingMessage, text: string): Answer {
  const headers = new Headers();
  for (const [name, values] of Object.entries(response.headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  return { status: response.statusCode ?? 0, headers, text, json: () => parseExactJson(text) };
}
