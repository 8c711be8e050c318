import type { Socket } from 'node:net';
import type mysql2 from 'mysql2';
import type { Connection, ConnectionOptions } from 'mysql2';
import { inTime } from '../../time.js';
import { LateError } from '../database-failure.js';

type Mysql2 = Pick<typeof mysql2, 'createConnection' | 'TypedParameter'>;

interface Field {
  readonly name: string;
  readonly columnType?: number;
}

/** MySQL's type number for BIGINT columns (LONGLONG). */
const LONGLONG = 8;

/** The result of mysql2 for a statement that returns no rows. */
export interface ResultHeader {
  readonly affectedRows: number;
  /** The first id that AUTO_INCREMENT generated; 0 if there is none. Beyond 2^53 it is text. */
  readonly insertId: number | string;
  /** The difference between two ids of one statement. */
  idStep?: bigint;
}

/** One connection to the server. Statements have a deadline, and `destroy` closes it immediately. */
export class MysqlConnection {
  /** Milliseconds of `performance.now()`. */
  readonly bornAt = performance.now();
  usedAt = this.bornAt;
  /** The session's `auto_increment_increment`. */
  idStep = 1n;
  /** The connection cannot be used any more. */
  isBroken = false;
  /** Called when the server or the network ended the connection, possibly twice. */
  onBroken: () => void = () => undefined;
  private readonly connection: Connection;

  /**
   * @param options the options of mysql2.
   * @param socket the socket of the connection.
   */
  constructor(
    private readonly driver: Mysql2,
    options: ConnectionOptions,
    private readonly socket: Socket,
  ) {
    this.connection = driver.createConnection({ ...options, stream: socket });
    // Without a listener, an error between two statements would end the process.
    const broken = (): void => {
      this.isBroken = true;
      this.onBroken();
    };
    this.connection.on('error', broken);
    this.connection.on('end', broken);
  }

  /** The socket, with TLS if it is used. mysql2 has it in this property, but does not declare it. */
  get stream(): Socket {
    return (this.connection as unknown as { readonly stream: Socket }).stream;
  }

  /** Logs in. Rejects with the error of mysql2. */
  login(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.connection.connect((fault) => {
        if (!fault) return resolve();
        this.destroy();
        reject(fault);
      });
    });
  }

  /**
   * Runs a statement. With parameters it is prepared. After `timeoutMs` the connection is destroyed: the server may
   * still execute the statement, and the next user of the connection would wait for it.
   *
   * @param values the result of `boundValues`.
   * @param timeoutMs Infinity for no deadline.
   * @returns rows for a SELECT, otherwise a `ResultHeader`.
   */
  run(sql: string, values: readonly unknown[], timeoutMs: number): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      const timer = timeoutMs === Infinity ? undefined : setTimeout(() => this.giveUp(timeoutMs, reject), timeoutMs);
      const done = (fault: Error | null, result: unknown, fields: readonly Field[] | undefined): void => {
        clearTimeout(timer);
        if (fault) reject(nameIdsUsedUp(fault));
        else if (Array.isArray(result)) resolve(exactIntegers(result as Record<string, unknown>[], fields ?? []));
        else resolve(Object.assign(result as ResultHeader, { idStep: this.idStep }));
      };
      // Some servers cannot prepare START TRANSACTION, SET and similar statements.
      if (values.length === 0) this.connection.query(sql, done as never);
      else this.connection.execute(sql, values.map((value) => this.typed(value)) as never, done as never);
    });
  }

  /**
   * mysql2 would send a bigint as text, which Vitess refuses for LIMIT. It would send a number as a DOUBLE, which SQL
   * rounds in calculations. A bigint that does not fit BIGINT is sent as text, so that the server refuses it with its
   * error number.
   */
  private typed(value: unknown): unknown {
    const isInteger = typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
    return isInteger ? this.driver.TypedParameter.BIGINT(value) : value;
  }

  /** Whether the server answers a ping within `timeoutMs`. */
  answers(timeoutMs: number): Promise<boolean> {
    const pinged = new Promise<boolean>((resolve) => this.connection.ping((fault) => resolve(!fault)));
    return inTime(timeoutMs, pinged);
  }

  /**
   * Closes the connection immediately. mysql2's `destroy` closes only its side, and waits for a server that may hang.
   */
  destroy(): void {
    this.isBroken = true;
    this.connection.destroy();
    this.socket.destroy();
  }

  private giveUp(timeoutMs: number, reject: (fault: Error) => void): void {
    this.destroy();
    reject(new LateError(timeoutMs));
  }
}

/**
 * Names the error of a table without more ids. MySQL generates the last id of a BIGINT again and reports a duplicate,
 * and Vitess passes that on. MariaDB reports that the ids are used up.
 */
function nameIdsUsedUp(fault: Error): Error {
  const isLastId =
    /^(?:target: .* desc = )?Duplicate entry '9223372036854775807' for key '(?:\w+\.)?PRIMARY'(?: \(errno 1062\).*)?$/s.test(
      fault.message,
    );
  return isLastId ? Object.assign(fault, { errno: 1467, code: 'ER_AUTOINC_READ_FAILED' }) : fault;
}

/** mysql2 returns a BIGINT beyond 2^53 as text. */
function exactIntegers(rows: Record<string, unknown>[], fields: readonly Field[]): unknown[] {
  for (const { name, columnType } of fields) {
    if (columnType !== LONGLONG) continue;
    for (const row of rows) if (typeof row[name] === 'string') row[name] = BigInt(row[name]);
  }
  return rows;
}
