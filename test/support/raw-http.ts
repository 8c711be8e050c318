import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const LIMIT_MS = 60_000;
const END_OF_HEAD = '\r\n\r\n';
const END_OF_LINE = '\r\n';

/** A response exactly as its bytes say, nothing combined, rounded or decoded. */
export interface RawResponse {
  readonly statusLine: string;
  readonly status: number;
  /** In the order and spelling of the response; repeated headers are separate. */
  readonly rawHeaders: readonly (readonly [name: string, value: string])[];
  /** The same for look-ups; repeated headers are joined by `, `. */
  readonly headers: Headers;
  readonly body: Buffer;
  /** The body as UTF-8. Invalid bytes throw an error. */
  readonly text: string;
}

/** One TCP connection. A test writes any bytes to it and reads one response after another. */
export class RawConnection {
  readonly #socket: Socket;
  #unread: Buffer = Buffer.alloc(0);
  #ended = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => (this.#unread = Buffer.concat([this.#unread, chunk])));
    socket.on('end', () => (this.#ended = true));
    socket.on('close', () => (this.#ended = true));
    // A reset ends the connection like a close: `untilClosed` reports it, and `receive` rejects with the bytes that
    // came.
    socket.on('error', () => (this.#ended = true));
  }

  /** @param options.paused for a client that reads nothing, so that the server cannot send everything. */
  static async open(url: string, { paused = false } = {}): Promise<RawConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, 'connect');
    const connection = new RawConnection(socket);
    if (paused) socket.pause();
    return connection;
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  /**
   * The next response, even an interim one (100). Rejects if the server closes before its end, or after `limitMs`
   * milliseconds.
   *
   * @param head true for the response to HEAD, which has no body whatever its headers say.
   */
  async receive({ head = false, limitMs = LIMIT_MS } = {}): Promise<RawResponse> {
    const start = await this.#until(() => positionAfter(this.#unread, END_OF_HEAD), limitMs);
    const [statusLine = '', ...lines] = this.#take(start).toString('latin1').trimEnd().split(END_OF_LINE);
    const rawHeaders = lines.map(splitHeader);
    const headers = new Headers(rawHeaders.map(([name, value]): [string, string] => [name, value]));
    const status = Number(statusLine.split(' ')[1]);
    const bodiless = head || status < 200 || status === 204 || status === 304;
    const body = bodiless ? Buffer.alloc(0) : await this.#receiveBody(headers, limitMs);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
    return { statusLine, status, rawHeaders, headers, body, text };
  }

  /** True if the server has closed, or does so within `limitMs`. Bytes that came before can still be received. */
  async untilClosed(limitMs = LIMIT_MS): Promise<boolean> {
    if (this.#ended) return true;
    const signal = AbortSignal.timeout(limitMs);
    await Promise.race([once(this.#socket, 'end', { signal }), once(this.#socket, 'close', { signal })]).catch(() => 0);
    return this.#ended;
  }

  get isClosed(): boolean {
    return this.#ended;
  }

  /** The bytes that the server sent and that `receive` has not read. */
  get unread(): string {
    return this.#unread.toString('latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Closes the client's sending side only. */
  end(): void {
    this.#socket.end();
  }

  /** Starts to read, after the connection was opened paused. */
  resume(): void {
    this.#socket.resume();
  }

  /** Ends the connection by RST in place of FIN, as a crashed client does. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  async #receiveBody(headers: Headers, limitMs: number): Promise<Buffer> {
    if (headers.get('transfer-encoding') === 'chunked') return this.#receiveChunks(limitMs);
    const length = headers.get('content-length');
    if (length !== null) return this.#takeExactly(Number(length), limitMs);
    await this.untilClosed(limitMs);
    return this.#take(this.#unread.length);
  }

  async #receiveChunks(limitMs: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      const line = this.#take(await this.#until(() => positionAfter(this.#unread, END_OF_LINE), limitMs));
      const size = Number.parseInt(line.toString('latin1'), 16);
      chunks.push((await this.#takeExactly(size + END_OF_LINE.length, limitMs)).subarray(0, size));
      if (size === 0) return Buffer.concat(chunks);
    }
  }

  async #takeExactly(length: number, limitMs: number): Promise<Buffer> {
    await this.#until(() => (this.#unread.length >= length ? length : undefined), limitMs);
    return this.#take(length);
  }

  #take(length: number): Buffer {
    const taken = this.#unread.subarray(0, length);
    this.#unread = this.#unread.subarray(length);
    return taken;
  }

  async #until(condition: () => number | undefined, limitMs: number): Promise<number> {
    const signal = AbortSignal.timeout(limitMs);
    for (;;) {
      const met = condition();
      if (met !== undefined) return met;
      if (this.#ended) throw new Error(`The server closed after ${JSON.stringify(this.unread)}`);
      await Promise.race([once(this.#socket, 'data', { signal }), once(this.#socket, 'close', { signal })]).catch(
        () => 0,
      );
      if (signal.aborted) throw new Error(`Nothing more came after ${JSON.stringify(this.unread)}`);
    }
  }
}

/** Sends one request unchanged on a new connection, and reads one response. */
export async function exchangeRaw(url: string, bytes: string | Uint8Array): Promise<RawResponse> {
  const connection = await RawConnection.open(url);
  try {
    connection.send(bytes);
    return await connection.receive({ head: Buffer.from(bytes).subarray(0, 5).toString('latin1') === 'HEAD ' });
  } finally {
    connection.close();
  }
}

function positionAfter(buffer: Buffer, mark: string): number | undefined {
  const at = buffer.indexOf(mark);
  return at === -1 ? undefined : at + mark.length;
}

function splitHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}
