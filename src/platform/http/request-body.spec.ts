import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { beginExchange, Workload } from './exchange.js';
import { RequestBody } from './request-body.js';

/** A request whose body is being read. */
function begin() {
  const request = new IncomingMessage(new Socket());
  request.headers = { 'content-type': 'application/json', 'content-length': '2' };
  request.rawHeaders = ['Content-Type', 'application/json'];
  const response = new ServerResponse(request);
  const arrived = jest.fn();
  const exchange = beginExchange(request, response);
  const workload = new Workload();
  exchange.workload = workload;
  const reading = new RequestBody(request, response, { limitBytes: 100, isRequired: true, arrived }).read();
  request.push('{}');
  return { request, response, exchange, workload, arrived, reading };
}

describe('RequestBody', () => {
  it('counts as work again once the body is there', async () => {
    const { request, workload, arrived, reading } = begin();
    expect(workload.size).toBe(0);
    request.push(null);
    expect(await reading).toEqual({});
    expect(workload.size).toBe(1);
    expect(arrived).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['was answered', ({ response }: ReturnType<typeof begin>) => void response.writeHead(408).end()],
    ['is over', ({ exchange }: ReturnType<typeof begin>) => void (exchange.endedAt = performance.now())],
  ])('comes to nothing where the request %s before its last byte came', async (_, finish) => {
    const begun = begin();
    finish(begun);
    begun.request.push(null);
    await expect(begun.reading).rejects.toMatchObject({ code: 'bad_request' });
    expect(begun.workload.size).toBe(0);
    expect(begun.arrived).not.toHaveBeenCalled();
  });
});
