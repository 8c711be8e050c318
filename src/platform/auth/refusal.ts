import { ApiError, coreErrors, type ErrorCode } from '../errors/index.js';
import type { RefusalReason } from './key-audit.js';

const REALM = 'Bearer realm="animal-store"';

/** Why a request is refused: the error for its client, and the reason that only the audit records. */
export class Refusal {
  /** @param keyId the public id of a well-formed key. */
  private constructor(
    readonly error: ApiError,
    readonly reason: RefusalReason,
    readonly keyId: string | undefined,
  ) {}

  /** No key, or another scheme: RFC 6750 §3.1 has no `error` in this challenge. */
  static missing(): Refusal {
    return new Refusal(challenge(coreErrors.missingApiKey, REALM), 'missing', undefined);
  }

  /** One answer for every kind of bad key: it does not reveal which part of a guess was right. */
  static invalid(reason: RefusalReason, keyId?: string): Refusal {
    return new Refusal(challenge(coreErrors.invalidApiKey, `${REALM}, error="invalid_token"`), reason, keyId);
  }

  static expired(keyId: string): Refusal {
    return new Refusal(challenge(coreErrors.expiredApiKey, `${REALM}, error="invalid_token"`), 'expired', keyId);
  }

  /** @param scopes all that the operation needs, not only what is lacking (RFC 6750 §3). */
  static lacking(scopes: readonly string[], keyId: string): Refusal {
    const needed = scopes.join(' ');
    const error = challenge(
      coreErrors.insufficientScope,
      `${REALM}, error="insufficient_scope", scope="${needed}"`,
      `The API key needs the scope ${needed} here.`,
    );
    return new Refusal(error, 'insufficient_scope', keyId);
  }
}

function challenge(kind: ErrorCode, value: string, message?: string): ApiError {
  return new ApiError(kind, message, { headers: { 'WWW-Authenticate': value } });
}
