import { describe, expect, it, jest } from '@jest/globals';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { bytesOf } from '../json/index.js';
import { Answer, sendAnswer } from './answer.js';
import { beginExchange, type Exchange } from './exchange.js';

const answer = new Answer(200, bytesOf('{"id":1}'));

/**
 * @param isPlain whether only the platform has its response.
 * @param complete whether all of the request has arrived.
 */
function exchange(isPlain = true, complete = true): Exchange {
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'GET', url: '/v1/pets/1', complete });
  return Object.assign(beginExchange(request, new ServerResponse(request)), { isPlain });
}

const nextTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

describe('sendAnswer', () => {
  it('makes all answers of a turn before it ends the first', async () => {
    const steps: string[] = [];
    const exchanges = [exchange(), exchange()];
    exchanges.forEach(({ response }, at) => {
      const noting = (step: string): ServerResponse => {
        steps.push(step);
        return response;
      };
      jest.spyOn(response, 'writeHead').mockImplementation(() => noting(`head ${at}`));
      jest.spyOn(response, 'end').mockImplementation((...[body]) => noting(`end ${at} ${String(body)}`));
    });
    for (const each of exchanges) sendAnswer(each, each.response, answer);
    expect(steps).toEqual(['head 0', 'head 1']);
    await nextTick();
    expect(steps.slice(2)).toEqual(['end 0 {"id":1}', 'end 1 {"id":1}']);
  });

  it('has sent its head, so that nothing else is sent, before it ends', () => {
    const whole = exchange();
    const { response } = whole;
    sendAnswer(whole, response, answer);
    expect([response.headersSent, response.writableEnded]).toEqual([true, false]);
  });

  it.each([
    ['the rest of the request may still be wrong', exchange(true, false)],
    ['others have the response too', exchange(false)],
  ])('ends at once where %s', (_, it) => {
    sendAnswer(it, it.response, answer);
    expect(it.response.writableEnded).toBe(true);
  });
});
