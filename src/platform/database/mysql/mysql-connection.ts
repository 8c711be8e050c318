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

/** MySQL's number of LONGLONG columns. */
const LONGLONG = 8;

/** What mysql2 gives of a statement that reads nothing. */
export interface ResultHeader {
  readonly affectedRows: number;
  /** The first id that AUTO_INCREMENT gave, as text beyond 2^53; 0 where it gave none. */
  readonly insertId: number | string;
  /** How far apart the ids of one statement are. */
  idStep?: bigint;
}

/** One connection to the server: statements with a deadline, and an end at once. */
export class MysqlConnection {
  /** Monotonic milliseconds. */
  readonly bornAt = performance.now();
  usedAt = this.bornAt;
  /** The session's `auto_increment_increment`. */
  idStep = 1n;
  /** It cannot be used any more. */
  isBroken = false;
  /** Called when it was ended from outside, perhaps twice. */
  onBroken: () => void = () => undefined;
  private readonly connection: Connection;

  /**
   * @param options of mysql2.
   * @param socket that it speaks through.
   */
  constructor(
    private readonly driver: Mysql2,
    options: ConnectionOptions,
    private readonly socket: Socket,
  ) {
    this.connection = driver.createConnection({ ...options, stream: socket });
    // Without a listener an error between two statements would end the process.
    const broken = (): void => {
      this.isBroken = true;
      this.onBroken();
    };
    this.connection.on('error', broken);
    this.connection.on('end', broken);
  }

  /** What it speaks through, with TLS where it has any; mysql2 has it under this name, without saying so. */
  get stream(): Socket {
    return (this.connection as unknown as { readonly stream: Socket }).stream;
  }

  /** Logs in. Rejects with what mysql2 says. */
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
   * Runs a statement, prepared where it has parameters. Past `timeoutMs` the connection is destroyed: the server may still
   * work on the statement, and whoever got the connection next would wait for it.
   *
   * @param values as `boundValues` gives them.
   * @param timeoutMs Infinity for no deadline.
   * @returns rows for a SELECT, a `ResultHeader` for anything else.
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
      // Not every server prepares START TRANSACTION, SET and the like.
      if (values.length === 0) this.connection.query(sql, done as never);
      else this.connection.execute(sql, values.map((value) => this.typed(value)) as never, done as never);
    });
  }

  /**
   * By itself mysql2 sends a bigint as text, which Vitess does not take for a LIMIT, and a number as a DOUBLE, which is rounded
   * where SQL computes with it. One that fits no BIGINT goes as text, so that the server refuses it by its own number.
   */
  private typed(value: unknown): unknown {
    const isInteger = typeof value === 'bigint' && BigInt.asIntN(64, value) === value;
    return isInteger ? this.driver.TypedParameter.BIGINT(value) : value;
  }

  /** Whether the server still answers. */
  answers(timeoutMs: number): Promise<boolean> {
    const pinged = new Promise<boolean>((resolve) => this.connection.ping((fault) => resolve(!fault)));
    return inTime(timeoutMs, pinged);
  }

  /** Ends it at once. mysql2's `destroy` closes its own side only, and waits for a server that may hang. */
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

/** MySQL gives the last id of a BIGINT again and reports a duplicate, which Vitess passes on; MariaDB says that ids are used up. */
function nameIdsUsedUp(fault: Error): Error {
  const isLastId =
    /^(?:target: .* desc = )?Duplicate entry '9223372036854775807' for key '(?:\w+\.)?PRIMARY'(?: \(errno 1062\).*)?$/s.test(
      fault.message,
    );
  return isLastId ? Object.assign(fault, { errno: 1467, code: 'ER_AUTOINC_READ_FAILED' }) : fault;
}

/** mysql2 gives a BIGINT beyond 2^53 as text. */
function exactIntegers(rows: Record<string, unknown>[], fields: readonly Field[]): unknown[] {
  for (const { name, columnType } of fields) {
    if (columnType !== LONGLONG) continue;
    for (const row of rows) if (typeof row[name] === 'string') row[name] = BigInt(row[name]);
  }
  return rows;
}
