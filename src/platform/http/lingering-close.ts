import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { stopParsing } from './pipeline.js';

/** Milliseconds that a client has to read the last answer and to close. */
const LINGER_MS = 1000;

const closing = new WeakSet<Duplex>();

/** Whether this connection has had its last answer. Whatever comes on it is no request. */
export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/**
 * Closes a connection once its client has closed, or has had the time to read the last answer. To close at once while the
 * client still sends would reset the connection, and the client would lose the answers that it has not read
 * (RFC 9112 §9.6).
 */
export function closeAfterReading(socket: Socket): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  const close = (): void => Socket.prototype.destroySoon.call(socket);
  if (socket.readableEnded || socket.destroyed) return close();
  stopParsing(socket);
  socket.removeAllListeners('end').once('end', close).resume();
  socket.once('finish', () => {
    const late = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(late));
  });
  socket.end();
}
