import { expect, it, jest } from '@jest/globals';
import type { ApiError } from '../errors/index.js';
import type { Exchange } from '../http/index.js';
import { RateLimitGuard, type Limits } from './limits.js';
import { RateLimit } from './rate-limit.js';

it('counts a request once, whoever asks, also one that is refused', async () => {
  const clients = new RateLimit('clients', 1, undefined);
  const count = jest.spyOn(clients, 'count');
  const limit = new RateLimitGuard({ clients } as Limits);
  const ask = async (exchange: Exchange): Promise<boolean> => limit.admit(exchange);
  const admit = (exchange: Exchange): Promise<unknown> =>
    ask(exchange).catch((error: unknown) => (error as ApiError).code);
  for (const verdict of [true, 'rate_limited']) {
    const exchange = { principal: { client: 'a' }, headers: {} } as Exchange;
    expect([await admit(exchange), await admit(exchange)]).toStrictEqual([verdict, verdict]);
  }
  expect(count).toHaveBeenCalledTimes(2);
});
