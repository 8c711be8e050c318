import { describe, expect, it, jest } from '@jest/globals';
import { AnimalStoreClient, pause, waitBefore, type AnimalStoreClientOptions } from './animal-store-client.js';

/** A `fetch` that returns these answers in order, and then the last one again. */
function answering(...answers: readonly Response[]) {
  let asked = 0;
  return jest.fn<typeof fetch>(() => Promise.resolve(answers[Math.min(asked++, answers.length - 1)]!.clone()));
}

const client = (options: Partial<AnimalStoreClientOptions>) =>
  new AnimalStoreClient({ baseUrl: 'http://localhost:3000/v1', apiKey: 'key', ...options });

describe('an option that is undefined', () => {
  it('is as one that is left out', async () => {
    const fetch = answering(
      ...Array.from({ length: 4 }, () => new Response('{}', { status: 503, headers: { 'Retry-After': '0' } })),
      new Response('[]'),
    );
    const store = client({ fetch, retries: undefined, timeoutMs: undefined, maxWaitMs: undefined });
    await expect(store.listPets()).rejects.toMatchObject({ status: 503 });
    expect(fetch).toHaveBeenCalledTimes(4);
    jest.spyOn(globalThis, 'fetch').mockImplementation(answering(new Response('[]')));
    expect(await client({ fetch: undefined }).listPets()).toEqual({ pets: [], next: undefined });
    jest.restoreAllMocks();
  });
});

describe('a base address without a host, as a page of the same server has it', () => {
  it.each(['</v1/pets?cursor=abc&limit=1>', '<http://inside:3000/v1/pets?cursor=abc>'])(
    'has the next page of %s',
    async (target) => {
      const fetch = answering(new Response('[]', { headers: { Link: `${target}; rel="next"` } }));
      expect(await client({ baseUrl: '/v1/', fetch }).listPets()).toEqual({ pets: [], next: 'abc' });
      expect(fetch.mock.calls[0]?.[0]).toBe('/v1/pets');
    },
  );
});

const answer = (status: number, headers = {}): Response => new Response(null, { status, headers });

describe('the wait before a request is sent again', () => {
  it('grows with each try, and is half chance', () => {
    for (const [tries, most] of [
      [1, 200],
      [2, 400],
      [5, 3200],
    ] as const) {
      const wait = waitBefore(undefined, tries);
      expect(wait).toBeGreaterThanOrEqual(most / 2);
      expect(wait).toBeLessThan(most);
    }
  });

  it.each([408, 409, 429, 503])('is at least what a %i asks for', (status) => {
    const wait = waitBefore(answer(status, { 'Retry-After': '7' }), 1);
    expect(wait).toBeGreaterThanOrEqual(7000);
    expect(wait).toBeLessThan(7200);
  });

  it('is there for a 500 once', () => {
    expect(waitBefore(answer(500), 1)).toBeDefined();
    expect(waitBefore(answer(500), 2)).toBeUndefined();
  });

  it.each([400, 401, 403, 404, 409, 422])('is not there for a %i, which would come again', (status) => {
    expect(waitBefore(answer(status), 1)).toBeUndefined();
  });

  it('passes over a Retry-After that is a date or nothing', () => {
    expect(waitBefore(answer(503, { 'Retry-After': 'Fri, 31 Dec 1999 23:59:59 GMT' }), 1)).toBeLessThan(200);
  });
});

describe('a pause', () => {
  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const paused = pause(60_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(paused).rejects.toThrow('enough');
    await expect(pause(60_000, stop.signal)).rejects.toThrow('enough');
  });
});
