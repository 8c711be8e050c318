const HEADER_BYTES = 4;
const COM_QUERY = 0x03;
const COM_STMT_PREPARE = 0x16;
const COM_STMT_EXECUTE = 0x17;

/** One packet of a client. */
export interface MysqlCommand {
  /** The bytes of the packet, header included. */
  readonly bytes: Buffer;
  /** The statement that it prepares or runs; undefined for other commands, for example a login. */
  readonly sql: string | undefined;
  /** Whether the server runs a statement because of it. */
  readonly runs: boolean;
}

/** Reads one client's commands in MySQL's client/server protocol, without TLS or compression. */
export class MysqlCommands {
  readonly #prepared = new Map<number, string>();
  #preparing: string | undefined;
  #unread = Buffer.alloc(0);

  /** The commands that these bytes complete. */
  *read(bytes: Buffer): Generator<MysqlCommand> {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    while (this.#unread.length >= HEADER_BYTES) {
      const end = HEADER_BYTES + this.#unread.readUIntLE(0, 3);
      if (this.#unread.length < end) return;
      const packet = this.#unread.subarray(0, end);
      this.#unread = this.#unread.subarray(end);
      yield this.#understand(packet);
    }
  }

  /** Reads a reply of the server for the number of a prepared statement. */
  learn(reply: Buffer): void {
    const isPrepared = this.#preparing !== undefined && reply.length > 8 && reply[HEADER_BYTES] === 0;
    if (isPrepared) this.#prepared.set(reply.readUInt32LE(HEADER_BYTES + 1), this.#preparing ?? '');
    this.#preparing = undefined;
  }

  #understand(bytes: Buffer): MysqlCommand {
    // A command begins a sequence. The packets of a login have higher numbers.
    const isCommand = bytes[3] === 0;
    const kind = isCommand ? bytes[HEADER_BYTES] : undefined;
    const text = (): string => bytes.subarray(HEADER_BYTES + 1).toString();
    // In MySQL the statement follows its attributes; these bytes say that it has none.
    if (kind === COM_QUERY) return { bytes, sql: text().replace('\0\x01', ''), runs: true };
    if (kind === COM_STMT_PREPARE) return { bytes, sql: (this.#preparing = text()), runs: false };
    if (kind !== COM_STMT_EXECUTE) return { bytes, sql: undefined, runs: false };
    return { bytes, sql: this.#prepared.get(bytes.readUInt32LE(HEADER_BYTES + 1)), runs: true };
  }
}

/** The reply with which a server refuses a command. */
export function refusal(errno: number): Buffer {
  const payload = Buffer.concat([
    Buffer.from([0xff, errno & 0xff, errno >> 8]),
    Buffer.from('#HY000Refused by the test'),
  ]);
  return Buffer.concat([Buffer.from([payload.length, 0, 0, 1]), payload]);
}
