import type { Log } from '../logging/index.js';
import type { Metrics } from '../metrics/index.js';
import { KeyAudit, type KeyEvent } from './key-audit.js';

/** The audit in the service's log: one line an event. Refusals are counted too, where there are metrics. */
export class LoggedKeyAudit extends KeyAudit {
  constructor(
    private readonly log: Pick<Log, 'info' | 'warn'>,
    private readonly metrics?: Pick<Metrics, 'authFailures'>,
  ) {
    super();
  }

  record(event: KeyEvent): void {
    switch (event.event) {
      case 'auth.failed':
        this.metrics?.authFailures.inc({ reason: event.reason });
        return this.log.warn(
          { event: event.event, reason: event.reason, key_id: event.keyId, client_ip: event.address },
          'A request was refused for its API key',
        );
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
}

function about({ event, keyId, client }: Extract<KeyEvent, { client: string }>): object {
  return { event, key_id: keyId, client };
}

function isoTime(time: number | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time).toISOString();
}
