import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LateError, NotAskedError } from '../database-failure.js';
import type { MysqlConnection } from './mysql-connection.js';
import { MysqlPool } from './mysql-pool.js';

const SETTINGS = { acquireTimeoutMs: 5000, connectionMaxAgeMs: 60_000, maxWaiters: 2, poolSize: 3 };

/** Records the connections that are opened and destroyed. */
class Connections {
  readonly opened: { -readonly [name in keyof MysqlConnection]?: MysqlConnection[name] }[] = [];
  readonly destroyed: unknown[] = [];
  fault: Error | undefined;
  tries = 0;

  readonly open = (): Promise<MysqlConnection> => {
    this.tries += 1;
    if (this.fault !== undefined) return Promise.reject(this.fault);
    const connection = {
      bornAt: performance.now(),
      usedAt: performance.now(),
      isBroken: false,
      onBroken: () => undefined,
      answers: () => Promise.resolve(true),
      destroy: () => void this.destroyed.push(connection),
    };
    this.opened.push(connection);
    return Promise.resolve(connection as unknown as MysqlConnection);
  };
}

/** A pool whose connections are all idle. */
async function idlePool(settings = SETTINGS) {
  const connections = new Connections();
  const pool = new MysqlPool(settings, connections.open);
  const taken = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
  for (const connection of taken) pool.release(connection);
  return { pool, connections, taken };
}

/** Advances `performance.now()`. */
function pass(milliseconds: number): void {
  const now = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => now() + milliseconds);
}

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const numbered = (errno: number): Error => Object.assign(new Error('refused'), { errno });

describe('a pool of connections', () => {
  it('gives out the one that was used last, and opens no more than it may', async () => {
    const { pool, connections, taken } = await idlePool();
    expect(await pool.acquire()).toBe(taken[2]);
    await Promise.all([pool.acquire(), pool.acquire()]);
    const waiting = pool.acquire();
    expect([connections.tries, pool.state]).toEqual([3, { idle: 0, used: 3, pending: 1, max: 3 }]);
    pool.release(taken[0]);
    expect(await waiting).toBe(taken[0]);
  });

  it.each([1290, 1792, 1836])('leaves all of a server that is no writer any more (%d)', async (errno) => {
    const { pool, connections, taken } = await idlePool();
    const refused = await pool.acquire();
    pool.release(refused, numbered(errno));
    expect(connections.destroyed).toStrictEqual([refused]);
    const next = await pool.acquire();
    expect(taken).not.toContain(next);
    expect(new Set(connections.destroyed)).toEqual(new Set(taken));
  });

  it('leaves those that are too old, also those that nobody needs', async () => {
    const connections = new Connections();
    const pool = new MysqlPool({ ...SETTINGS, connectionMaxAgeMs: 1000 }, connections.open);
    const [one, other, young] = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
    for (const old of [one, other]) pool.release(old);
    pass(1100);
    Object.assign(young, { bornAt: performance.now() });
    pool.release(young);
    expect(await pool.acquire()).toBe(young);
    expect(new Set(connections.destroyed)).toEqual(new Set([one, other]));
  });

  it.each([1062, 1205, 1213])('keeps one whose statement failed with %d', async (errno) => {
    const { pool, connections } = await idlePool();
    const connection = await pool.acquire();
    pool.release(connection, numbered(errno));
    expect(connections.destroyed).toStrictEqual([]);
    expect(await pool.acquire()).toBe(connection);
  });

  it('asks one that was idle before it gives it out, and takes all that were idle as long for dead as it is', async () => {
    const { pool, connections, taken } = await idlePool();
    let asked = 0;
    const answers = (): Promise<boolean> => Promise.resolve((asked += 1) === 0);
    for (const connection of connections.opened) Object.assign(connection, { answers, usedAt: performance.now() });
    pass(5000);
    expect(taken).not.toContain(await pool.acquire());
    expect(asked).toBe(1);
    expect(new Set(connections.destroyed)).toEqual(new Set(taken));
  });

  it('gives out again one that was idle and answers', async () => {
    const { pool, connections, taken } = await idlePool();
    pass(5000);
    expect(await pool.acquire()).toBe(taken[2]);
    expect(connections.destroyed).toStrictEqual([]);
  });

  it('tries no login for a while after one was refused, and everybody gets the same fault', async () => {
    const connections = new Connections();
    const pool = new MysqlPool(SETTINGS, connections.open);
    connections.fault = numbered(1045);
    await expect(pool.acquire()).rejects.toMatchObject({ errno: 1045, phase: 'connect', fatal: true });
    for (let n = 0; n < 20; n += 1) await expect(pool.acquire()).rejects.toBe(connections.fault);
    expect(connections.tries).toBe(1);
  });

  it('tries again at once where it was the network', async () => {
    const connections = new Connections();
    const pool = new MysqlPool(SETTINGS, connections.open);
    connections.fault = Object.assign(new Error('refused'), { errno: -111, code: 'ECONNREFUSED' });
    for (let n = 0; n < 3; n += 1) await expect(pool.acquire()).rejects.toBe(connections.fault);
    expect(connections.tries).toBe(3);
  });

  it('counts no connection that was not to be had', async () => {
    const connections = new Connections();
    const pool = new MysqlPool(SETTINGS, connections.open);
    connections.fault = Object.assign(new Error('refused'), { errno: -111, code: 'ECONNREFUSED' });
    for (let n = 0; n < 5; n += 1) await expect(pool.acquire()).rejects.toBe(connections.fault);
    expect(pool.state).toStrictEqual({ idle: 0, used: 0, pending: 0, max: 3 });
    connections.fault = undefined;
    await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
    expect(pool.state).toStrictEqual({ idle: 0, used: 3, pending: 0, max: 3 });
  });

  it('forgets an idle connection that ended, and makes another one', async () => {
    const { pool, connections } = await idlePool();
    const [first] = connections.opened;
    Object.assign(first!, { isBroken: true });
    first!.onBroken!();
    first!.onBroken!();
    expect(pool.state).toStrictEqual({ idle: 2, used: 0, pending: 0, max: 3 });
    await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
    expect(connections.tries).toBe(4);
  });

  it('gives nobody a connection that broke while it was used', async () => {
    const { pool, connections } = await idlePool();
    const one = await pool.acquire();
    Object.assign(one, { isBroken: true });
    pool.release(one);
    expect(connections.destroyed).toStrictEqual([one]);
    expect(await pool.acquire()).not.toBe(one);
  });

  it('opens another one for who waits, where one was destroyed', async () => {
    const { pool, connections, taken } = await idlePool();
    await Promise.all(taken.map(() => pool.acquire()));
    const waiting = pool.acquire();
    pool.discard(taken[0]);
    expect(taken).not.toContain(await waiting);
    expect([connections.tries, pool.state.used]).toStrictEqual([4, 3]);
  });

  it('keeps to one login while others are refused, and serves who waits when that is over', async () => {
    jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'setImmediate'] });
    const connections = new Connections();
    const pool = new MysqlPool(SETTINGS, connections.open);
    const one = await pool.acquire();
    connections.fault = numbered(1226);
    await expect(pool.acquire()).rejects.toBe(connections.fault);
    connections.fault = undefined;
    const waiting = [pool.acquire(), pool.acquire()];
    await Promise.resolve();
    expect(pool.state).toStrictEqual({ idle: 0, used: 1, pending: 2, max: 3 });
    jest.advanceTimersByTime(999);
    expect(connections.tries).toBe(2);
    jest.advanceTimersByTime(1002);
    expect(new Set([one, ...(await Promise.all(waiting))]).size).toBe(3);
    expect(connections.tries).toBe(4);
  });

  it('refuses who waits, and ends its connections, as it is closed', async () => {
    const { pool, connections, taken } = await idlePool();
    const used = await Promise.all(taken.map(() => pool.acquire()));
    const refused = pool.acquire().catch((fault: unknown) => fault);
    await Promise.resolve();
    pool.close();
    expect(await refused).toBeInstanceOf(NotAskedError);
    for (const connection of used) pool.release(connection);
    expect(new Set(connections.destroyed)).toEqual(new Set(used));
    expect(pool.state.used).toBe(0);
  });

  it('gives back what comes for somebody who waits no more', async () => {
    const connections = new Connections();
    let give: (() => void) | undefined;
    const slow = () => new Promise<MysqlConnection>((resolve) => (give = () => void connections.open().then(resolve)));
    const pool = new MysqlPool({ ...SETTINGS, acquireTimeoutMs: 5 }, slow);
    await expect(pool.acquire()).rejects.toThrow(new LateError(5));
    give!();
    await new Promise((resolve) => setImmediate(resolve));
    expect(pool.state).toStrictEqual({ idle: 1, used: 0, pending: 0, max: 3 });
  });

  it('calls the lock of an account by its name on MariaDB, too', async () => {
    const connections = new Connections();
    connections.fault = Object.assign(numbered(4151), { code: 'ER_OTHER' });
    const pool = new MysqlPool(SETTINGS, connections.open);
    await expect(pool.acquire()).rejects.toMatchObject({ errno: 4151, code: 'ER_ACCOUNT_HAS_BEEN_LOCKED' });
  });

  it('lets no more wait than it may, and nobody for longer', async () => {
    const { pool, taken } = await idlePool({ ...SETTINGS, acquireTimeoutMs: 50 });
    await Promise.all(taken.map(() => pool.acquire()));
    const waiting = [pool.acquire(), pool.acquire()].map((one) => one.catch((fault: unknown) => fault));
    await expect(pool.acquire()).rejects.toThrow('Too many wait for a connection');
    for (const fault of await Promise.all(waiting)) expect(fault).toBeInstanceOf(LateError);
  });
});
