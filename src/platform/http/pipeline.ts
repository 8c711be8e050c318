import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Requests that may wait on one connection. No client that people use sends the next before it has the answer. */
export const LONGEST_PIPELINE = 32;

interface Pipeline {
  /** Requests that have no answer yet. */
  waiting: number;
  /** The answer to the request that came last. */
  newest: ServerResponse | undefined;
  /** Whether an answer that closes the connection was decided on. Nothing that comes behind it is looked at. */
  isClosing: boolean;
}

const pipelines = new WeakMap<Duplex, Pipeline>();

/**
 * Puts a request into the row of those on its connection that have no answer yet. Node takes as many as a packet holds,
 * some two thousand, one after another, before it looks at any other connection.
 *
 * @returns whether it is to be answered. Behind the last that is, the connection closes, and nothing is carried out
 *   (RFC 9112 §9.6); a client sends the others again (§9.3.2).
 */
export function joinPipeline(response: ServerResponse): boolean {
  const pipeline = pipelineOn(response.req.socket);
  if (pipeline.isClosing) return false;
  pipeline.waiting += 1;
  pipeline.newest = response;
  if (pipeline.waiting === LONGEST_PIPELINE) closeAfter(response);
  return true;
}

/** To be called once a response that joined is closed. */
export function leavePipeline({ req: { socket } }: ServerResponse): void {
  pipelineOn(socket).waiting -= 1;
}

/** The answer to the last request that joined, to which a fault behind it belongs; undefined where none did. */
export function newestOn(socket: Duplex): ServerResponse | undefined {
  return pipelines.get(socket)?.newest;
}

/** Makes this answer the last one of its connection, where it is not on its way already. */
export function closeAfter(response: ServerResponse): void {
  if (response.headersSent) return;
  response.setHeader('Connection', 'close');
  closePipeline(response.req.socket);
}

/** No request that comes from now on is looked at: what was answered last closes the connection. */
export function closePipeline(socket: Duplex): void {
  pipelineOn(socket).isClosing = true;
}

function pipelineOn(socket: Duplex): Pipeline {
  let pipeline = pipelines.get(socket);
  if (pipeline === undefined) pipelines.set(socket, (pipeline = { waiting: 0, newest: undefined, isClosing: false }));
  return pipeline;
}
