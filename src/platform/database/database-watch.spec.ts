import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { describe, expect, it, jest } from '@jest/globals';
import type { Metrics } from '../metrics/index.js';
import type { DatabaseOutages } from './database-outages.js';
import { certificateExpiry, DatabaseWatch } from './database-watch.js';
import { LateError } from './database-failure.js';

const HOUR = 3_600_000;

/** A certificate of a chain. It expires `hours` hours after the Unix epoch. */
function certificate(hours: number, issuer?: object) {
  const validToDate = new Date(hours * HOUR);
  const one = { validToDate, fingerprint256: String(hours), issuerCertificate: issuer };
  return issuer === undefined ? Object.assign(one, { issuerCertificate: one }) : one;
}

function tlsSocket(server: object | undefined, client: object | undefined): TLSSocket {
  const socket = new TLSSocket(new Socket());
  return Object.assign(socket, { getPeerX509Certificate: () => server, getX509Certificate: () => client });
}

function watched() {
  const metrics = {
    certificateExpiry: { set: jest.fn() },
    databaseDuration: { observe: jest.fn() },
    connectionTimeouts: { inc: jest.fn() },
    connectionWaitTime: { observe: jest.fn() },
    databaseRetries: { inc: jest.fn() },
  };
  const outages = { failed: jest.fn(), worked: jest.fn() };
  const observers = { metrics: metrics as unknown as Metrics, outages: outages as unknown as DatabaseOutages };
  return { metrics, outages, watch: new DatabaseWatch(observers, 'mysql', 'store') };
}

describe('when certificates expire', () => {
  it('is not known of a connection without TLS', () => {
    expect(certificateExpiry(new Socket())).toStrictEqual({});
  });

  it('is the earliest in the chain of the server, and that of the client where it sent one', () => {
    for (const [own, middle, root] of [
      [1, 2, 3],
      [2, 1, 3],
      [3, 2, 1],
    ] as const) {
      const chain = certificate(own, certificate(middle, certificate(root)));
      expect(certificateExpiry(tlsSocket(chain, undefined))).toStrictEqual({ server: new Date(HOUR) });
    }
    expect(certificateExpiry(tlsSocket(certificate(7), certificate(5)))).toStrictEqual({
      server: new Date(7 * HOUR),
      client: new Date(5 * HOUR),
    });
    expect(certificateExpiry(tlsSocket(undefined, undefined))).toStrictEqual({});
  });

  it('is counted in seconds, and looked at once for a connection', () => {
    const { metrics, watch } = watched();
    const socket = tlsSocket(certificate(7), certificate(5));
    for (let n = 0; n < 3; n += 1) watch.connected(performance.now(), socket);
    expect(metrics.certificateExpiry.set.mock.calls).toStrictEqual([
      [{ certificate: 'database_server' }, 7 * 3600],
      [{ certificate: 'database_client' }, 5 * 3600],
    ]);
    expect(metrics.connectionWaitTime.observe).toHaveBeenCalledTimes(3);
  });
});

describe('what a database does', () => {
  it('is counted by table and kind of statement, and ends an outage of its kind', () => {
    const { metrics, outages, watch } = watched();
    watch.ran('SELECT id FROM pet', performance.now());
    watch.ran('INSERT INTO pet (id) VALUES (?)', performance.now(), { type: '1062', status: '1062' });
    watch.ran('DELETE FROM pet', performance.now() - 2000);
    const { calls } = metrics.databaseDuration.observe.mock;
    const table = { db_system_name: 'mysql', db_namespace: 'store', db_collection_name: 'pet' };
    expect(calls.map(([labels]) => labels)).toStrictEqual([
      { ...table, db_operation_name: 'SELECT' },
      { ...table, db_operation_name: 'INSERT', db_response_status_code: '1062', error_type: '1062' },
      { ...table, db_operation_name: 'DELETE' },
    ]);
    expect(calls[2]?.[1]).toBeGreaterThanOrEqual(2);
    expect(outages.worked.mock.calls).toStrictEqual([['read'], ['write']]);
  });

  it('that is refused, or cannot be reached, is an outage of that part; only a wait that was too long is counted', () => {
    const { metrics, outages, watch } = watched();
    const [late, refused] = [new LateError(1), new Error('refused')];
    watch.refused('SELECT 1', refused, 1);
    watch.refused('COMMIT', refused, 2);
    watch.unreachable(refused, 3);
    expect(metrics.connectionTimeouts.inc).not.toHaveBeenCalled();
    watch.unreachable(late, 4);
    expect(metrics.connectionTimeouts.inc).toHaveBeenCalledTimes(1);
    expect(outages.failed.mock.calls).toStrictEqual([
      ['read', refused, 1],
      ['write', refused, 2],
      ['connect', refused, 3],
      ['connect', late, 4],
    ]);
  });

  it('is observed by nobody where a command runs', () => {
    const watch = new DatabaseWatch({}, 'sqlite', 'main');
    watch.ran('SELECT 1', 0);
    watch.connected(0, tlsSocket(certificate(7), undefined));
    watch.gaveBack(0);
    watch.unreachable(new LateError(1), 0);
    watch.retried('1213');
    watch.watchPool(() => undefined);
  });
});
