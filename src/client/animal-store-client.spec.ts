import { describe, expect, it, jest } from '@jest/globals';
import { AnimalStoreClient, type AnimalStoreClientOptions } from './animal-store-client.js';

/** Gives these answers in their order, the last again and again. */
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
