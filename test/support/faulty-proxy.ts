import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { leftovers } from './leftovers.js';
import { MysqlCommands, refusal, type MysqlCommand } from './mysql-commands.js';

/** What the proxy does with a statement that it spoils. */
export type StatementFault =
  /** The server runs it. The client's connection is reset in place of the reply. */
  | { readonly fate: 'reply lost' }
  /** The client gets this error. The server runs the statement only if `ran` is true. */
  | { readonly fate: 'refused'; readonly errno: number; readonly ran?: boolean };

interface Spoiling {
  readonly statement: RegExp;
  readonly fault: StatementFault;
  left: number;
}

/** A TCP proxy before a MySQL server that fails as networks fail. It listens on 127.0.0.1 by default. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #spoilings: Spoiling[] = [];
  #target: number;
  #delayMs = 0;
  #silent = false;
  /** Statements that clients sent to be run (COM_QUERY, COM_STMT_EXECUTE), in order. */
  readonly statements: string[] = [];
  /** How many connections it has accepted so far. */
  accepted = 0;

  private constructor(target: number) {
    this.#target = target;
    this.#server = createServer({ pauseOnConnect: true }, (client) => {
      this.#accept(client);
    });
  }

  static async listen(target: number, { host = '127.0.0.1', port = 0 } = {}): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(target);
    // A test that fails closes nothing, and Jest must end all the same.
    proxy.#server.unref().listen(port, host);
    leftovers.add(() => proxy.stop());
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The URL of the same database through this proxy. */
  through(url: string, host = '127.0.0.1'): string {
    const changed = new URL(url);
    changed.host = `${host}:${String(this.port)}`;
    return changed.href;
  }

  /** Connections that are open now. */
  get open(): number {
    return this.#pairs.size;
  }

  /** Sends new connections to this server. Open ones stay where they are. */
  repoint(target: number): void {
    this.#target = target;
  }

  /** From now on, delays every packet in both directions. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  /** Holds all packets back: nothing is answered, refused or closed. `heal` delivers them. */
  silence(): void {
    this.#silent = true;
    for (const pair of this.#pairs) pair.pause();
  }

  heal(): void {
    this.#silent = false;
    for (const pair of this.#pairs) pair.resume();
  }

  reset(): void {
    for (const pair of this.#pairs) pair.reset();
  }

  /**
   * Forgets every open connection, as a firewall forgets idle ones. What the client then sends is answered by a reset,
   * or never.
   */
  forget(answer: 'reset' | 'nothing'): void {
    for (const pair of this.#pairs) pair.forgotten = answer;
  }

  /** Closes the server's side of every open connection. The proxy would still read. */
  halfClose(): void {
    for (const pair of this.#pairs) pair.client.end();
  }

  /** Spoils the next `times` statements that match. */
  spoil(statement: RegExp, fault: StatementFault, times = 1): void {
    this.#spoilings.push({ statement, fault, left: times });
  }

  spare(): void {
    this.#spoilings.length = 0;
  }

  /** How many statements that match were sent to be run. */
  count(statement: RegExp): number {
    return this.statements.filter((sql) => statement.test(sql)).length;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    for (const pair of this.#pairs) pair.reset();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    this.accepted += 1;
    const server = connect(this.#target, '127.0.0.1');
    const pair = new Pair(client, server, (command) => this.#faultOf(command));
    pair.delayed = async () => {
      if (this.#delayMs > 0) await sleep(this.#delayMs);
    };
    this.#pairs.add(pair);
    client.once('close', () => this.#pairs.delete(pair));
    if (!this.#silent) pair.resume();
    else pair.pause();
  }

  #faultOf({ sql, runs }: MysqlCommand): StatementFault | undefined {
    if (!runs || sql === undefined) return undefined;
    this.statements.push(sql);
    const spoiling = this.#spoilings.find(({ statement, left }) => left > 0 && statement.test(sql));
    if (spoiling === undefined) return undefined;
    spoiling.left -= 1;
    return spoiling.fault;
  }
}

/** One client and its connection to the server. */
class Pair {
  readonly client: Socket;
  readonly #server: Socket;
  readonly #commands = new MysqlCommands();
  readonly #faultOf: (command: MysqlCommand) => StatementFault | undefined;
  /** Runs once in place of passing on the server's next bytes. */
  #inPlaceOfReply: (() => void) | undefined;
  forgotten: 'reset' | 'nothing' | undefined;
  delayed = (): Promise<void> => Promise.resolve();

  constructor(client: Socket, server: Socket, faultOf: (command: MysqlCommand) => StatementFault | undefined) {
    this.client = client;
    this.#server = server;
    this.#faultOf = faultOf;
    client.on('data', (bytes) => {
      this.#fromClient(bytes);
    });
    server.on('data', (bytes) => void this.#fromServer(bytes));
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    server.on('error', () => this.reset()).on('close', () => client.destroy());
  }

  pause(): void {
    this.client.pause();
    this.#server.pause();
  }

  resume(): void {
    this.client.resume();
    this.#server.resume();
  }

  reset(): void {
    this.client.resetAndDestroy();
    this.#server.destroy();
  }

  #fromClient(bytes: Buffer): void {
    if (this.forgotten === 'reset') this.reset();
    if (this.forgotten !== undefined) return;
    for (const command of this.#commands.read(bytes)) void this.#pass(command);
  }

  async #pass(command: MysqlCommand): Promise<void> {
    const fault = this.#faultOf(command);
    await this.delayed();
    if (fault?.fate === 'refused' && fault.ran !== true) {
      this.client.write(refusal(fault.errno));
      return;
    }
    if (fault?.fate === 'refused') this.#inPlaceOfReply = () => this.client.write(refusal(fault.errno));
    if (fault?.fate === 'reply lost') this.#inPlaceOfReply = () => this.reset();
    if (this.#server.writable) this.#server.write(command.bytes);
  }

  async #fromServer(bytes: Buffer): Promise<void> {
    const instead = this.#inPlaceOfReply;
    this.#inPlaceOfReply = undefined;
    if (instead === undefined) this.#commands.learn(bytes);
    await this.delayed();
    if (instead !== undefined) instead();
    else if (this.client.writable) this.client.write(bytes);
  }
}
