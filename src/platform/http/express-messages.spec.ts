import { afterAll, describe, expect, it } from '@jest/globals';
import express, { type Express, type Response } from 'express';
import { once } from 'node:events';
import { createServer, ServerResponse, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { beginExchange } from './exchange.js';
import { bodyBytes, expressMessages } from './express-messages.js';

const servers: Server[] = [];

afterAll(() => servers.forEach((server) => server.close()));

/** An application that answers with its title, and with whether the response still has its first prototype. */
function application(title: string): Express {
  const made = express().set('title', title);
  made.get('/', (_request, response: Response) => {
    const isAsBorn = Object.getPrototypeOf(response) === (response.app as Express).response;
    response.json({ title: response.app.get('title') as string, isAsBorn });
  });
  return made;
}

/** @returns the URL of the server. */
async function serve(made: Express): Promise<string> {
  const server = createServer(expressMessages(made), (request, response) => {
    beginExchange(request, response);
    made(request, response);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(url: string): Promise<unknown> {
  const answer = await fetch(url, { headers: { 'X-Request-Id': 'mine', Connection: 'close' } });
  expect(answer.headers.get('x-request-id')).toBe('mine');
  return answer.json();
}

describe('expressMessages', () => {
  it('gives each of two applications messages of its own', async () => {
    const urls = [await serve(application('one')), await serve(application('other'))];
    expect(await Promise.all(urls.map(ask))).toStrictEqual([
      { title: 'one', isAsBorn: true },
      { title: 'other', isAsBorn: true },
    ]);
  });

  it('can be asked again for an application', async () => {
    const made = application('one');
    await serve(made);
    expect(await ask(await serve(made))).toEqual({ title: 'one', isAsBorn: true });
  });
});

it('closes the connection as the head says, also where a handler writes another head after it', async () => {
  const made = express();
  made.get('/', (_request, response: Response) => {
    response.writeHead(200, { Connection: 'close', 'Content-Length': 4 });
    expect(() => response.writeHead(500)).toThrow('Cannot write headers after they are sent');
    response.end('last');
  });
  const { hostname, port } = new URL(await serve(made));
  // Only the head may close the connection.
  for (const server of servers) server.keepAliveTimeout = 0;
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  expect((await socket.toArray()).join('')).toMatch(/last$/);
});

/** Sends a request to a listener. */
async function answered(listener: RequestListener, init: RequestInit = {}): Promise<globalThis.Response> {
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
    const asked = answered(
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
