import { Agent, type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { parse, stringify } from 'lossless-json';

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body's own characters; numbers are as the service wrote them. */
  readonly text: string;
  /** The body parsed; an integer that a JavaScript number would round is a `bigint`. */
  json(): unknown;
}

export interface RequestOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A string or bytes are sent as they stand, anything else as JSON with its `bigint`s as plain digits. */
  readonly body?: unknown;
}

/** A client of one service: JSON in, exact text out, no redirects followed, connections kept alive. */
export class HttpClient {
  readonly #base: string;
  readonly #key: string | undefined;

  /** @param base the service's address; @param key sent as a bearer token where there is one. */
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

/** JSON text in which a `bigint` stands as a plain number. */
export function exactJson(value: unknown): string {
  return stringify(value) ?? '';
}

/** The reverse: integers beyond 2^53 come as `bigint`. */
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
