import type { ListPetsQuery, NewPet, Pet } from './api.js';
import { parseExact, stringifyExact } from './exact-json.js';

export interface AnimalStoreClientOptions {
  /** The base URL, which ends in `/v1`: `http://localhost:3000/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** How often a request that may succeed later is sent again. Default: 3. */
  readonly retries?: number | undefined;
  /**
   * Milliseconds for one try, until the whole answer is there. After that the try is aborted, and may be retried.
   * Default: 30,000.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The longest wait before a retry, in milliseconds. If the service asks for a longer one, its error is thrown.
   * Default: 60,000.
   */
  readonly maxWaitMs?: number | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

export interface RequestOptions {
  /** Aborts the request, its retries and the waits between them. */
  readonly signal?: AbortSignal | undefined;
}

export interface CreateOptions extends RequestOptions {
  /**
   * Identifies this creation. All tries with the same key, also from another process, add the pet once. Default: a
   * random key.
   */
  readonly idempotencyKey?: string | undefined;
}

/** A page of a list. */
export interface PetsPage {
  readonly pets: readonly Pet[];
  /** The `cursor` of the next page; undefined on the last. */
  readonly next: string | undefined;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal | undefined;
}

interface Answer {
  readonly headers: Headers;
  readonly text: string;
}

/**
 * A client of the Animal Store for browsers and Node.js. Integers of 64 bits are exact `bigint` values. A request that
 * may succeed later is sent again, at most `retries` times and after `Retry-After`. All tries of a POST have the same
 * `Idempotency-Key`, so they add nothing twice.
 *
 * Every method rejects with:
 * - an `AnimalStoreError` if the service refuses the request
 * - the error of `fetch` if there is no answer
 * - the reason of `signal` if that is aborted
 * - a `SyntaxError` if a successful answer is not JSON
 * - a `RangeError` if this runtime is too old to keep an integer beyond 2^53 exact
 */
export class AnimalStoreClient {
  readonly #options: {
    readonly [Name in keyof AnimalStoreClientOptions]-?: NonNullable<AnimalStoreClientOptions[Name]>;
  };

  constructor({
    baseUrl,
    apiKey,
    retries = 3,
    timeoutMs = 30_000,
    maxWaitMs = 60_000,
    fetch = globalThis.fetch.bind(globalThis),
  }: AnimalStoreClientOptions) {
    this.#options = { baseUrl: baseUrl.replace(/\/$/, ''), apiKey, retries, timeoutMs, maxWaitMs, fetch };
  }

  /** Reads one page of pets, by ascending id. */
  async listPets(query: ListPetsQuery = {}, { signal }: RequestOptions = {}): Promise<PetsPage> {
    const asked = Object.entries(query) as [string, string | number | undefined][];
    const given = new URLSearchParams();
    for (const [name, value] of asked) if (value !== undefined) given.set(name, String(value));
    const { headers, text } = await this.#send({
      method: 'GET',
      path: given.size === 0 ? '/pets' : `/pets?${String(given)}`,
      signal,
    });
    return { pets: parseExact(text) as Pet[], next: nextCursor(headers.get('link')) };
  }

  /** Iterates over all pages and reads each when it is needed: `for await (const { pets } of client.pages())`. */
  async *pages(query: ListPetsQuery = {}, options: RequestOptions = {}): AsyncGenerator<PetsPage, void, undefined> {
    let page = await this.listPets(query, options);
    yield page;
    while (page.next !== undefined) {
      page = await this.listPets({ ...query, cursor: page.next }, options);
      yield page;
    }
  }

  /** Iterates over all pets, page by page: `for await (const pet of client.pets({ status: 'available' }))`. */
  async *pets(query: ListPetsQuery = {}, options: RequestOptions = {}): AsyncGenerator<Pet, void, undefined> {
    for await (const { pets } of this.pages({ limit: 100, ...query }, options)) yield* pets;
  }

  /** Adds a pet exactly once. The pet is durable when the promise resolves. */
  async createPet(pet: NewPet, { idempotencyKey = randomKey(), signal }: CreateOptions = {}): Promise<Pet> {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': idempotencyKey };
    const { text } = await this.#send({ method: 'POST', path: '/pets', headers, body: stringifyExact(pet), signal });
    return parseExact(text) as Pet;
  }

  /** @deprecated GET /pets/{petId} is removed on 2030-12-05; use `listPets`. */
  async getPet(id: bigint, { signal }: RequestOptions = {}): Promise<Pet> {
    const { text } = await this.#send({ method: 'GET', path: `/pets/${id}`, signal });
    return parseExact(text) as Pet;
  }

  async #send(call: Call): Promise<Answer> {
    const { retries, maxWaitMs } = this.#options;
    for (let tries = 1; ; tries += 1) {
      const { response, text = '', error } = await this.#try(call);
      if (response?.ok === true) return { headers: response.headers, text };
      const failure = response === undefined ? error : AnimalStoreError.from(response, text);
      call.signal?.throwIfAborted();
      const wait = waitBefore(response, tries);
      if (tries > retries || wait === undefined || wait > maxWaitMs) throw failure;
      await pause(wait, call.signal);
    }
  }

  /** Sends the request once. Returns the whole answer, or the error. */
  async #try({
    method,
    path,
    headers,
    body,
    signal,
  }: Call): Promise<{ response?: Response; text?: string; error?: unknown }> {
    const { baseUrl, apiKey, timeoutMs } = this.#options;
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.#options.fetch(`${baseUrl}${path}`, {
        method,
        headers: { ...headers, Authorization: `Bearer ${apiKey}` },
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(body !== undefined && { body }),
      });
      return { response, text: await response.text() };
    } catch (error) {
      return { error };
    }
  }
}

/**
 * The cursor of `rel="next"` (RFC 8288). The client sends it to `baseUrl`, because the link may hold the address of a
 * proxy.
 */
function nextCursor(link: string | null): string | undefined {
  const target = /<([^>]*)>;[^,]*\brel="next"/.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  return new URL(target, 'http://any.invalid').searchParams.get('cursor') ?? undefined;
}

/** 128 random bits. Pages without TLS have no `crypto.randomUUID`. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * Statuses after which the same request may succeed: 408 the request arrived too late, 409 its idempotency key is in
 * use, 429 too many requests, 503 unavailable.
 */
const PASSING = new Set([408, 409, 429, 503]);

const FIRST_WAIT_MS = 200;

/**
 * The wait before the same request is sent again, in milliseconds; undefined if it would fail again.
 *
 * @param failure the answer, or undefined if there was none.
 * @param tries how often the request was sent, 1 or more.
 */
export function waitBefore(failure: Response | undefined, tries: number): number | undefined {
  // Half of the wait is random, so that clients that failed together do not retry together.
  const backOff = FIRST_WAIT_MS * 2 ** (tries - 1) * (0.5 + Math.random() / 2);
  if (failure === undefined) return backOff;
  const asked = Number(failure.headers.get('retry-after') ?? Number.NaN) * 1000;
  // A 409 without Retry-After does not mean that the key is in use. It is a permanent error.
  if (PASSING.has(failure.status) && asked >= 0) return asked + backOff;
  if (PASSING.has(failure.status) && failure.status !== 409) return backOff;
  return failure.status === 500 && tries === 1 ? backOff : undefined;
}

/** Resolves after this time. Rejects with the reason of the signal when that is aborted. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** An answer with an error status that the client does not retry, or does not retry any more. */
export class AnimalStoreError extends Error {
  override readonly name = 'AnimalStoreError';

  /**
   * @param status the HTTP status.
   * @param code for programs: an error code of docs/api.md; `unknown` if the answer does not come from the service.
   * @param message for people.
   * @param requestId the request id of the answer, for error reports.
   */
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }

  /** Creates the error from an answer and its body. A proxy may answer in another format than the service. */
  static from({ status, headers }: Response, text: string): AnimalStoreError {
    const { code = 'unknown', message = `The answer was ${status}.` } = errorBody(text);
    return new AnimalStoreError(status, code, message, headers.get('x-request-id') ?? undefined);
  }
}

function errorBody(text: string): { readonly code?: string; readonly message?: string } {
  try {
    const body = parseExact(text) as Readonly<Record<string, unknown>> | null;
    return typeof body?.['code'] === 'string' ? { code: body['code'], message: String(body['message']) } : {};
  } catch {
    return {};
  }
}
