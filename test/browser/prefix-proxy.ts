import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A common reverse proxy: it serves the service under a path prefix, and nothing outside of the prefix. */
export class PrefixProxy {
  private constructor(
    private readonly server: Server,
    /** `http://127.0.0.1:PORT/PREFIX` */
    readonly url: string,
  ) {}

  static async start(target: string, prefix: string): Promise<PrefixProxy> {
    const server = createServer((incoming, outgoing) => {
      const path = incoming.url ?? '/';
      if (!path.startsWith(`${prefix}/`)) {
        outgoing.writeHead(404).end('outside of the prefix');
        return;
      }
      const { method, headers } = incoming;
      const onward = request(target, { path: path.slice(prefix.length), method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new PrefixProxy(server, `http://127.0.0.1:${port}${prefix}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
