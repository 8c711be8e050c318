import { afterAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, ServerResponse, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyBytes } from './node-messages.js';

const servers: Server[] = [];

afterAll(() => servers.forEach((server) => server.close()));

async function ask(listener: RequestListener, init: RequestInit = {}): Promise<Response> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fetch(url, { ...init, headers: { Connection: 'close' } });
}

describe('bodyBytes', () => {
  it.each<[string, number | undefined, (response: ServerResponse) => unknown, string?]>([
    ['text in one piece', 6, (response) => response.end('3 × 2')],
    [
      'a stream that says its length',
      2,
      (response) => response.setHeader('Content-Length', '2').write('a') && response.end('b'),
    ],
    ['a head with its length', 2, (response) => response.writeHead(200, { 'content-length': 2 }).end('ab')],
    ['a stream', undefined, (response) => response.write('a') && response.end('b')],
    ['nothing', 0, (response) => response.end()],
    ['HEAD', 0, (response) => response.end('a'), 'HEAD'],
    ['304', 0, (response) => response.writeHead(304).end('a')],
    ['no answer', 0, (response) => response.destroy()],
  ])('of %s is %s', async (_, bytes, answer, method = 'GET') => {
    const closed = Promise.withResolvers<ServerResponse>();
    const asked = ask(
      (_request, response) => {
        response.on('close', () => closed.resolve(response));
        answer(response);
      },
      { method },
    );
    await asked.catch(() => undefined);
    expect(bodyBytes(await closed.promise)).toBe(bytes);
  });

  it('of a length that is none is not known', () => {
    const response = new ServerResponse({ method: 'GET' } as IncomingMessage);
    response.writeHead(200, { 'Content-Length': 'many' });
    expect(bodyBytes(response)).toBeUndefined();
  });
});
