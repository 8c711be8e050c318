import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection. No client that people use sends the next before it has the answer. */
export const LONGEST_PIPELINE = 32;

const waiting = new WeakMap<Duplex, number>();

/**
 * Puts a request into the row of those on its connection that have no answer yet. Node takes as many as a packet holds,
 * some two thousand, one after another, before it looks at any other connection.
 *
 * @returns whether it is to be answered. Behind the last that is, the connection closes; a client sends the others again
 *   (RFC 9112 §9.3.2).
 */
export function joinPipeline(response: ServerResponse): boolean {
  const { socket } = response.req;
  const place = (waiting.get(socket) ?? 0) + 1;
  if (place > LONGEST_PIPELINE) return false;
  waiting.set(socket, place);
  if (place === LONGEST_PIPELINE) response.setHeader('Connection', 'close');
  return true;
}

/** To be called once a response that joined is closed. */
export function leavePipeline({ req: { socket } }: ServerResponse): void {
  waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
}
