import { AssertionError } from 'node:assert';
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

/**
 * Asserts that an answer is the Error of the contract: JSON with exactly `code`, `message` and `status`, the last equal
 * to the status line's.
 *
 * @throws {AssertionError} naming everything that is not so.
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

/** Merge this into the matchers' interface of the test runner, so that the compiler knows them. */
export interface ErrorMatchers<R> {
  toBeError(status: number, code: string): R;
}

/** What keeps an answer from being that Error; empty when it is. */
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
