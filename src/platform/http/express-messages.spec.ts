import { afterAll, describe, expect, it } from '@jest/globals';
import express, { type Express, type Response } from 'express';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beginExchange } from './exchange.js';
import { expressMessages } from './express-messages.js';

const servers: Server[] = [];

afterAll(() => servers.forEach((server) => server.close()));

/** An application that tells its title, and whether a response is still what it was born as. */
function application(title: string): Express {
  const made = express().set('title', title);
  made.get('/', (_request, response: Response) => {
    const isAsBorn = Object.getPrototypeOf(response) === (response.app as Express).response;
    response.json({ title: response.app.get('title') as string, isAsBorn });
  });
  return made;
}

/** @returns where it answers. */
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
