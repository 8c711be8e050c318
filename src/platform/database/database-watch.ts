import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Log } from '../logging/index.js';
import type { StatementTarget } from './statement-log.js';
import type { Metrics, PoolState } from '../metrics/index.js';
import { tracing } from '../tracing/index.js';
import type { DatabaseOutages, DatabasePart } from './database-outages.js';
import { LateError, type StatementFault } from './database-failure.js';
import { isRead, summaryOf } from './sql-statements.js';

/** Observers of the database. A command has no metrics and no outages, because it ends soon. */
export interface DatabaseObservers {
  readonly metrics?: Metrics;
  readonly log?: Log;
  /** Logs refused statements. Default: `log`. */
  readonly statements?: StatementTarget;
  readonly outages?: DatabaseOutages;
}

/** Reports to the metrics, the traces and the log what the database does. */
export class DatabaseWatch {
  private readonly seen = new WeakSet<Socket>();
  private readonly pool: { readonly db_client_connection_pool_name: string };

  constructor(
    private readonly observers: DatabaseObservers,
    private readonly system: string,
    private readonly namespace: string,
  ) {
    this.pool = { db_client_connection_pool_name: system };
  }

  /** A statement ended. */
  ran(sql: string, startedAt: number, fault?: StatementFault): void {
    const { metrics, outages } = this.observers;
    if (fault === undefined) outages?.worked(partOf(sql));
    if (metrics === undefined) return;
    const { system, namespace } = this;
    const { operation, collection } = summaryOf(sql);
    tracing()?.statement({ sql, system, namespace, operation, collection, startedAt, fault });
    const labels = {
      db_system_name: system,
      db_namespace: namespace,
      db_collection_name: collection,
      db_operation_name: operation,
      ...(fault?.status !== undefined && { db_response_status_code: fault.status }),
      ...(fault !== undefined && { error_type: fault.type }),
    };
    metrics.databaseDuration.observe(labels, (performance.now() - startedAt) / 1000);
  }

  /** A statement failed with a temporary fault. */
  refused(sql: string, fault: unknown, startedAt: number): void {
    this.observers.outages?.failed(partOf(sql), fault, startedAt);
  }

  /** @param state returns the state of the pool. It is called at each scrape. */
  watchPool(state: () => PoolState | undefined): void {
    this.observers.metrics?.watchPool(this.system, state);
  }

  /** A connection was acquired. */
  connected(startedAt: number, socket: Socket): void {
    const { metrics } = this.observers;
    if (metrics === undefined) return;
    metrics.connectionWaitTime.observe(this.pool, (performance.now() - startedAt) / 1000);
    if (this.seen.has(socket)) return;
    this.seen.add(socket);
    for (const [side, expiry] of Object.entries(certificateExpiry(socket))) {
      metrics.certificateExpiry.set({ certificate: `database_${side}` }, (expiry as Date).getTime() / 1000);
    }
  }

  /** A connection was released or destroyed. */
  gaveBack(takenAt: number): void {
    this.observers.metrics?.connectionUseTime.observe(this.pool, (performance.now() - takenAt) / 1000);
  }

  /** No connection could be acquired. */
  unreachable(fault: unknown, startedAt: number): void {
    if (fault instanceof LateError) this.observers.metrics?.connectionTimeouts.inc(this.pool);
    this.observers.outages?.failed('connect', fault, startedAt);
  }

  retried(code: string): void {
    this.observers.metrics?.databaseRetries.inc({ code });
    this.observers.log?.debug({ event: 'db.retry', code }, 'A statement is tried again');
  }
}

function partOf(sql: string): DatabasePart {
  return isRead(sql) ? 'read' : 'write';
}

export interface CertificateExpiry {
  /** The earliest expiry in the certificate chain of the server, up to the authority. */
  readonly server?: Date;
  /** The expiry of the client certificate. */
  readonly client?: Date;
}

/** When the certificates of a connection expire; empty without TLS. */
export function certificateExpiry(socket: Socket): CertificateExpiry {
  if (!(socket instanceof TLSSocket)) return {};
  const [server, client] = [socket.getPeerX509Certificate(), socket.getX509Certificate()];
  return {
    ...(server === undefined ? {} : { server: earliest(server) }),
    ...(client === undefined ? {} : { client: client.validToDate }),
  };
}

function earliest(certificate: X509Certificate): Date {
  const { issuerCertificate: issuer, validToDate } = certificate;
  if (issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256) return validToDate;
  const above = earliest(issuer);
  return above < validToDate ? above : validToDate;
}
