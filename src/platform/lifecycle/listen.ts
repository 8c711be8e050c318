import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartFault } from '../errors/index.js';

/** A port that cannot be listened on, in plain words for whoever started the process. */
export class ListenError extends StartFault {
  /** @param variable the one that says which port. */
  constructor(variable: string, host: string, port: number, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown fault';
    super(`${variable} ${port} on ${host} cannot be listened on: ${REASONS[code]?.(variable, code) ?? `${code}.`}`, {
      cause,
    });
    this.name = 'ListenError';
  }
}

const noAddress = (_: string, code: string): string =>
  `no address is found for this name (${code}). Set HOST to an address.`;

/** Why, and what to change; both ports are on `HOST`. */
const REASONS: Readonly<Record<string, (variable: string, code: string) => string>> = {
  EADDRINUSE: (variable) => `another process listens there (EADDRINUSE). Set ${variable} to another port.`,
  EADDRNOTAVAIL: () => 'this machine has no such address (EADDRNOTAVAIL). Set HOST to one that it has.',
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
  EACCES: (variable) => `this user may not (EACCES). Set ${variable} to a port above 1023.`,
};

/**
 * @param variable the one that says which port.
 * @param port 0 for any.
 * @returns the port that the server listens on.
 * @throws {ListenError} (rejects)
 */
export async function listen(variable: string, server: Server, host: string, port: number): Promise<number> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (error) {
    throw new ListenError(variable, host, port, error);
  }
  return (server.address() as AddressInfo).port;
}
