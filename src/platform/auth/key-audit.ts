/** Why a request's key was not accepted. `missing` is no key at all, or another scheme than Bearer. */
export type RefusalReason =
  'missing' | 'repeated' | 'malformed' | 'unknown' | 'mismatch' | 'revoked' | 'expired' | 'insufficient_scope';

/** What happened to a key. None of it is secret. Points in time are milliseconds since the epoch. */
export type KeyEvent =
  | {
      readonly event: 'key.created';
      readonly keyId: string;
      readonly client: string;
      readonly scopes: readonly string[];
      readonly expiresAt: number | undefined;
    }
  | {
      readonly event: 'key.rolled';
      readonly keyId: string;
      readonly client: string;
      readonly successorId: string;
      /** From when the old key is refused. */
      readonly expiresAt: number;
    }
  | { readonly event: 'key.revoked'; readonly keyId: string; readonly client: string }
  | {
      readonly event: 'auth.failed';
      readonly reason: RefusalReason;
      /** Present where the key was well formed, whether or not there is such a key. */
      readonly keyId: string | undefined;
      /** The source address, as TRUST_PROXY decides it. */
      readonly address: string;
    };

/** The trail of what happens to keys: each event is one structured log line. Must not throw. */
export abstract class KeyAudit {
  abstract record(event: KeyEvent): void;
}
