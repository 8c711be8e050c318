import { expect, it, jest } from '@jest/globals';
import type { Config } from '../config/index.js';
import type { ApiError } from '../errors/index.js';
import type { Exchange } from '../http/index.js';
import { Limits } from './limits.js';
import { RateLimit } from './rate-limit.js';

it('counts a request once, whoever asks, also one that is refused', async () => {
  const count = jest.spyOn(RateLimit.prototype, 'count');
  const limits = new Limits({ limits: { perMinute: 1 }, auth: { failuresPerMinute: 0 } } as Config);
  const ask = async (exchange: Exchange): Promise<boolean> => limits.admit(exchange);
  const admit = (exchange: Exchange): Promise<unknown> =>
    ask(exchange).catch((error: unknown) => (error as ApiError).code);
  for (const verdict of [true, 'rate_limited']) {
    const exchange = { principal: { client: 'a' }, headers: {} } as Exchange;
    expect([await admit(exchange), await admit(exchange)]).toStrictEqual([verdict, verdict]);
  }
  expect(count).toHaveBeenCalledTimes(2);
});
