import type { OnApplicationShutdown } from '@nestjs/common';
import type { Log } from '../logging/index.js';
import type { Metrics } from '../metrics/index.js';
import { KeyAudit, type KeyEvent } from './key-audit.js';
import { MAX_CLIENT_LENGTH, printable } from './key-terms.js';
import { RefusalLog, type RefusedKey, type Unwritten } from './refusal-log.js';

/**
 * The audit in the service's log: one line an event, whatever `LOG_LEVEL` says, as far as `RefusalLog` lets refusals have
 * one. Every refusal is counted, where there are metrics.
 */
export class LoggedKeyAudit extends KeyAudit implements OnApplicationShutdown {
  private readonly log: Log;
  private readonly refusals = new RefusalLog({
    one: (refused) => this.writeRefusal(refused),
    rest: (unwritten) => this.writeUnwritten(unwritten),
  });

  constructor(
    log: Pick<Log, 'child'>,
    private readonly metrics?: Pick<Metrics, 'authFailures'>,
  ) {
    super();
    this.log = log.child({}, { level: 'info' });
  }

  onApplicationShutdown(): void {
    this.refusals.flush();
  }

  record(event: KeyEvent): void {
    switch (event.event) {
      case 'auth.failed':
        this.metrics?.authFailures.inc({ reason: event.reason });
        return this.refusals.record(event);
      case 'key.created':
        return this.log.info(
          { ...about(event), scopes: event.scopes, expires_at: isoTime(event.expiresAt) },
          'An API key was made',
        );
      case 'key.rolled':
        return this.log.info(
          { ...about(event), successor_id: event.successorId, expires_at: isoTime(event.expiresAt) },
          'An API key was rolled',
        );
      case 'key.revoked':
        return this.log.info(about(event), 'An API key was revoked');
    }
  }

  private writeRefusal({ event, reason, keyId, address }: RefusedKey): void {
    this.log.warn({ event, reason, key_id: keyId, client_ip: address }, 'A request was refused for its API key');
  }

  private writeUnwritten({ source, reasons }: Unwritten): void {
    const count = Object.values(reasons).reduce((sum, some) => sum + some, 0);
    this.log.warn(
      { event: 'auth.failed', count, reasons, client_ip: source },
      'More requests were refused for their API keys, without a line for each',
    );
  }
}

function about({ event, keyId, client }: Extract<KeyEvent, { client: string }>): object {
  // The row may have come past this program.
  return { event, key_id: keyId, client: printable(client, MAX_CLIENT_LENGTH) };
}

function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
