import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, jest } from '@jest/globals';
import { Gauge } from 'prom-client';
import type { Config } from '../config/index.js';
import type { Log } from '../logging/index.js';
import { Metrics } from '../metrics/index.js';
import { Health } from './health.js';
import { Liveness, ManagementServer } from './management.server.js';

it('answers 500 in the Error shape, and tells it, where the metrics cannot be told', async () => {
  const metrics = new Metrics('1.0.0', 'abc');
  const fault = new Error('No text');
  const collect = () => Promise.reject(fault);
  new Gauge({ name: 'broken', help: 'Cannot be told.', registers: [metrics.registry], collect });
  const error = jest.fn();
  const liveness = new Liveness(1000);
  const http = { headersTimeoutMs: 1000, requestTimeoutMs: 1000, keepAliveTimeoutMs: 1000, requestDeadlineMs: 1000 };
  const management = new ManagementServer(http as Config['http'], { health: new Health(), liveness, metrics }, {
    error,
  } as unknown as Log);
  await once(management.server.listen(0, '127.0.0.1'), 'listening');
  const { port } = management.server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(answer.status).toBe(500);
  expect(await answer.json()).toEqual({ code: 'internal_error', message: expect.any(String), status: 500 });
  const fields = { event: 'request.failed', request_id: expect.any(String), err: fault };
  expect(error).toHaveBeenCalledWith(fields, expect.any(String));
  await management.close();
  liveness.stop();
});
