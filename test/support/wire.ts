import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A proxy between a client and a server on this machine that records all bytes. */
export interface Wire {
  readonly port: number;
  /** How many connections clients have made so far. */
  readonly connections: number;
  /** Whether these bytes were sent unencrypted in either direction. */
  carried(text: string): boolean;
  stop(): Promise<void>;
}

/** @param rewrite changes the bytes of the server, as an attacker in the middle could. */
export async function tapWire(serverPort: number, rewrite = (bytes: Buffer): Buffer => bytes): Promise<Wire> {
  const seen: Buffer[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const target = connect(serverPort, '127.0.0.1');
    client.on('data', (bytes) => {
      seen.push(bytes);
      target.write(bytes);
    });
    target.on('data', (bytes) => {
      seen.push(bytes);
      client.write(rewrite(bytes));
    });
    for (const [one, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.unref().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    carried: (text) => Buffer.concat(seen).includes(text),
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    },
  };
}
