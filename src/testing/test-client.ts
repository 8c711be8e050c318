import { parseJson, stringifyJson } from '../platform/json/index.js';

/** What came back, whole. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body's own characters. */
  readonly text: string;
  /** The body parsed; an integer that a JavaScript number would round is a `bigint`. */
  json(): unknown;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it stands, anything else as JSON, its `bigint`s as plain digits. */
  readonly body?: unknown;
}

/** A client of one application: JSON in, exact text out, no redirect followed. */
export class TestClient {
  /** @param url of the application, without `/v1`; @param key sent as a bearer token where there is one. */
  constructor(
    private readonly url: string,
    private readonly key?: string,
  ) {}

  get(path: string, sent?: Sent): Promise<TestAnswer> {
    return this.request('GET', path, sent);
  }

  post(path: string, body: unknown, sent?: Sent): Promise<TestAnswer> {
    return this.request('POST', path, { ...sent, body });
  }

  /** @param path with its base, e.g. `/v1/pets?limit=1`. */
  async request(method: string, path: string, { headers = {}, body }: Sent = {}): Promise<TestAnswer> {
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.key === undefined ? {} : { Authorization: `Bearer ${this.key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : stringifyJson(body) }),
    });
    const text = await response.text();
    const json = (): unknown => parseJson(new TextEncoder().encode(text));
    return { status: response.status, headers: response.headers, text, json };
  }
}
