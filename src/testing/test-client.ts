import { AssertionError } from 'node:assert';
import { parseJson, stringifyJson } from '../platform/json/index.js';

/** A complete response. */
export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The exact text of the body. */
  readonly text: string;
  /** Parses the body. An integer that a JavaScript number would round becomes a `bigint`. */
  json(): unknown;
}

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged. Anything else is sent as JSON, with each `bigint` as an integer. */
  readonly body?: unknown;
}

/** A client of one application. It sends JSON, keeps the exact text of the response, and follows no redirect. */
export class TestClient {
  /**
   * @param url the application's URL, without `/v1`.
   * @param key sent as a bearer token. Default: no key.
   */
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

  /** @param path the full path, e.g. `/v1/pets?limit=1`. */
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

/**
 * Asserts that a response is the documented Error: JSON with exactly `code`, `message` and `status`, and the last
 * equals the status of the response.
 *
 * @throws {AssertionError} with every difference.
 */
export function assertError(answer: TestAnswer, status: number, code: string): void {
  const faults = errorFaults(answer, status, code);
  if (faults.length === 0) return;
  throw new AssertionError({ message: failure(answer, status, code, faults), stackStartFn: assertError });
}

/** `expect.extend(errorMatchers)`, for Jest and Vitest: `expect(answer).toBeError(404, 'pet_not_found')`. */
export const errorMatchers = {
  toBeError(received: TestAnswer, status: number, code: string): { pass: boolean; message: () => string } {
    const faults = errorFaults(received, status, code);
    return { pass: faults.length === 0, message: () => failure(received, status, code, faults) };
  },
};

/** Extend the matchers' interface of the test runner with this interface, so that the compiler knows the matchers. */
export interface ErrorMatchers<R> {
  toBeError(status: number, code: string): R;
}

/** Every difference between a response and the documented Error; empty if there is none. */
export function errorFaults(answer: TestAnswer, status: number, code?: string): string[] {
  const faults: string[] = [];
  if (answer.status !== status) faults.push(`the status line says ${answer.status}`);
  const type = answer.headers.get('content-type') ?? 'none';
  if (!/^application\/json(; ?charset=utf-8)?$/i.test(type)) faults.push(`its media type is ${type}`);
  const body = objectOf(answer);
  if (body === undefined) return [...faults, 'its body is no JSON object'];
  const fields = Object.keys(body).sort().join(', ');
  if (fields !== 'code, message, status') faults.push(`its fields are ${fields}`);
  if (code !== undefined && body['code'] !== code) faults.push(`its code is ${JSON.stringify(body['code'])}`);
  if (body['status'] !== status) faults.push(`its status is ${JSON.stringify(body['status'])}`);
  if (typeof body['message'] !== 'string' || body['message'].trim() === '') faults.push('it has no message');
  return faults;
}

function failure(answer: TestAnswer, status: number, code: string, faults: readonly string[]): string {
  const found = faults.length === 0 ? '' : `: ${faults.join('; ')}`;
  return `Not the Error ${status} ${code}${found}\nReceived ${answer.status} ${answer.text}`;
}

function objectOf(answer: TestAnswer): Record<string, unknown> | undefined {
  try {
    const value = answer.json();
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
