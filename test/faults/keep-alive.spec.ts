import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createSqliteDatabase } from '../support/database.js';
import type { Engine } from '../support/engines.js';
import { startHaproxy } from '../support/haproxy.js';
import { HttpClient } from '../support/http.js';
import { serveOn } from '../support/served.js';

const sqlite: Engine = { name: 'sqlite', createDatabase: createSqliteDatabase };
/** Milliseconds. The balancer closes idle connections after 1 to 2 seconds. */
const KEPT_MS = 4000;

describe('a connection that is idle', () => {
  const served = serveOn(sqlite, { HTTP_KEEP_ALIVE_TIMEOUT_MS: String(KEPT_MS) });

  it('is announced and kept for HTTP_KEEP_ALIVE_TIMEOUT_MS, and then closed', async () => {
    const connection = await served.connect();
    for (let turn = 0; turn < 2; turn++) {
      connection.send(served.bytes('GET /v1/pets'));
      const answer = await connection.receive();
      expect([answer.status, answer.headers.get('keep-alive')]).toEqual([200, `timeout=${String(KEPT_MS / 1000)}`]);
      await sleep(KEPT_MS / 2);
    }
    expect(connection.isClosed).toBe(false);
    expect(await connection.untilClosed()).toBe(true);
    expect(connection.unread).toBe('');
    connection.close();
  });

  it('never fails a request behind a balancer that keeps it for less', async () => {
    const { port } = new URL(served.service.url);
    const haproxy = await startHaproxy([`server a 127.0.0.1:${port} pool-purge-delay 1s`]);
    const client = new HttpClient(haproxy.url, served.key);
    const statuses = new Set<number>();
    const visit = async (visitor: number): Promise<void> => {
      // Pauses near the time at which the balancer closes a connection.
      for (const pauseMs of [950, 0, 1000, 50, 1050, 500]) {
        statuses.add((await client.get('/v1/pets?limit=1')).status);
        await sleep(pauseMs + visitor);
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, visitor) => visit(visitor)));
    expect(statuses).toEqual(new Set([200]));
    await haproxy.stop();
  });
});
