import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import type mysql2 from 'mysql2';
import { LateError } from '../database-failure.js';
import { MysqlConnection } from './mysql-connection.js';

type Done = (fault: Error | null, result?: unknown, fields?: unknown) => void;

const query = jest.fn<(sql: string, done: Done) => void>();
const execute = jest.fn<(sql: string, values: unknown[], done: Done) => void>();
const destroy = jest.fn();
const ping = jest.fn<(done: (fault: Error | null) => void) => void>();

let socket: Socket;
let events: EventEmitter;
let connection: MysqlConnection;

beforeEach(() => {
  for (const mock of [query, execute, destroy, ping]) mock.mockReset();
  socket = new Socket();
  const driver = {
    TypedParameter: { BIGINT: (value: bigint) => ({ integer: value }) },
    createConnection: ({ stream }: { stream: Socket }) =>
      (events = Object.assign(new EventEmitter(), { stream, query, execute, destroy, ping })),
  };
  connection = new MysqlConnection(driver as unknown as typeof mysql2, {}, socket);
});

/** The form in which `vtgate` passes on an error of MySQL. */
const vitess = (message: string): string =>
  `target: store.0.primary: vttablet: rpc error: code = AlreadyExists desc = ${message} (errno 1062) (sqlstate 23000) (CallerID: a): Sql: "insert into pet"`;

describe('a statement', () => {
  it('without parameters goes as text, another one prepared, with whole numbers as such where they fit a BIGINT', async () => {
    query.mockImplementation((_sql, done) => done(null, [{ id: 1 }], []));
    execute.mockImplementation((_sql, _values, done) => done(null, [], []));
    expect(await connection.run('SELECT 1', [], Infinity)).toStrictEqual([{ id: 1 }]);
    const most = 9_223_372_036_854_775_807n;
    const values = [7n, most, -most - 1n, 'a', null, 1.5];
    expect(await connection.run('SELECT ?', values, 1000)).toStrictEqual([]);
    expect(await connection.run('SELECT ?', [most + 1n, -most - 2n], 1000)).toStrictEqual([]);
    const sent = [{ integer: 7n }, { integer: most }, { integer: -most - 1n }, 'a', null, 1.5];
    expect([query.mock.calls.length, execute.mock.calls.map(([, given]) => given)]).toStrictEqual([
      1,
      [sent, [most + 1n, -most - 2n]],
    ]);
  });

  it('gives a BIGINT beyond 2^53 exactly, and text as it is', async () => {
    const rows = [
      { id: '9007199254740993', name: '7' },
      { id: 5, name: '8' },
    ];
    const fields = [
      { name: 'id', columnType: 8 },
      { name: 'name', columnType: 253 },
    ];
    query.mockImplementation((_sql, done) => done(null, rows, fields));
    expect(await connection.run('SELECT id, name FROM pet', [], 1000)).toStrictEqual([
      { id: 9007199254740993n, name: '7' },
      { id: 5, name: '8' },
    ]);
  });

  it('that reads nothing says how far apart the ids of its session are', async () => {
    query.mockImplementation((_sql, done) => done(null, { affectedRows: 2, insertId: 7 }));
    connection.idStep = 3n;
    expect(await connection.run('INSERT', [], 1000)).toStrictEqual({ affectedRows: 2, insertId: 7, idStep: 3n });
  });

  it('that takes too long ends its connection, and what is said of it later is nothing', async () => {
    query.mockImplementation(() => undefined);
    await expect(connection.run('SELECT SLEEP(9)', [], 5)).rejects.toThrow(new LateError(5));
    expect([destroy.mock.calls.length, socket.destroyed, connection.isBroken]).toStrictEqual([1, true, true]);
  });

  it('leaves no timer behind', async () => {
    jest.useFakeTimers();
    query.mockImplementation((_sql, done) => done(null, [], []));
    await connection.run('SELECT 1', [], 1000);
    query.mockImplementation((_sql, done) => done(new Error('refused')));
    await expect(connection.run('SELECT 1', [], 1000)).rejects.toThrow('refused');
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it.each([
    ["Duplicate entry '9223372036854775807' for key 'pet.PRIMARY'", 1467],
    ["Duplicate entry '9223372036854775807' for key 'PRIMARY'", 1467],
    [vitess("Duplicate entry '9223372036854775807' for key 'pet.PRIMARY'"), 1467],
    [vitess("Duplicate entry '9223372036854775807' for key 'pet.name'"), 1062],
    ["Duplicate entry '9223372036854775807' for key 'pet.name'", 1062],
    ["Duplicate entry '5' for key 'PRIMARY'", 1062],
  ])('that fails with "%s" has the number %d: ids are used up, or another row is there', async (message, errno) => {
    query.mockImplementation((_sql, done) =>
      done(Object.assign(new Error(message), { errno: 1062, code: 'ER_DUP_ENTRY' })),
    );
    const code = errno === 1467 ? 'ER_AUTOINC_READ_FAILED' : 'ER_DUP_ENTRY';
    await expect(connection.run('INSERT', [], 1000)).rejects.toMatchObject({ errno, code });
  });
});

describe('a connection', () => {
  it.each(['error', 'end'])('that ends from outside (%s) cannot be used, which is said', (event) => {
    const onBroken = jest.fn();
    events.emit('other');
    connection.onBroken = onBroken;
    expect(connection.isBroken).toBe(false);
    events.emit(event, new Error('lost'));
    expect([connection.isBroken, onBroken.mock.calls.length]).toStrictEqual([true, 1]);
  });

  it('answers, or says that it does not, in time', async () => {
    ping.mockImplementationOnce((done) => done(null));
    expect(await connection.answers(1000)).toBe(true);
    ping.mockImplementationOnce((done) => done(new Error('lost')));
    expect(await connection.answers(1000)).toBe(false);
    ping.mockImplementationOnce(() => undefined);
    expect(await connection.answers(5)).toBe(false);
    expect(connection.isBroken).toBe(false);
  });

  it('speaks through what mysql2 has made of its socket', () => {
    expect(connection.stream).toBe(socket);
  });
});
