import { Inject, Injectable, Optional } from '@nestjs/common';
import { ApiError, coreErrors, type ErrorCode } from '../errors/index.js';
import { type Principal, headerValues } from '../http/index.js';
import { Clock } from '../time.js';
import { matchesHash, publicIdOf, stateOf, type KnownApiKey } from './api-key.js';
import { ApiKeyCache } from './api-key.cache.js';
import { ApiKeysFile } from './api-keys-file.js';
import type { RefusalReason } from './key-audit.js';
import { KeyUse } from './key-use.js';

const REALM = 'Bearer realm="animal-store"';

/** Why a request is refused: the error for the client, and the reason for the audit. */
export class Refusal {
  /** @param keyId the public id of the key, if the key was well formed. */
  private constructor(
    readonly error: ApiError,
    readonly reason: RefusalReason,
    readonly keyId: string | undefined,
  ) {}

  /** No key, or another scheme. The challenge then has no `error` (RFC 6750 §3.1). */
  static missing(): Refusal {
    return new Refusal(challenge(coreErrors.missingApiKey, REALM), 'missing', undefined);
  }

  /** Every kind of bad key gets the same answer, so it does not reveal which part of a guess was right. */
  static invalid(reason: RefusalReason, keyId?: string): Refusal {
    return new Refusal(challenge(coreErrors.invalidApiKey, `${REALM}, error="invalid_token"`), reason, keyId);
  }

  static expired(keyId: string): Refusal {
    return new Refusal(challenge(coreErrors.expiredApiKey, `${REALM}, error="invalid_token"`), 'expired', keyId);
  }

  /** @param scopes all scopes that the operation needs, not only the missing ones (RFC 6750 §3). */
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

/** An unknown key is compared with this hash, so that it takes the time of a known one. */
const NO_HASH = Buffer.alloc(32);

/**
 * Authenticates requests by their API key.
 *
 * The key of every request is hashed. A cache of accepted headers would save little. It would need a comparison in
 * constant time, and hold keys in memory.
 */
@Injectable()
export class Authenticator {
  constructor(
    private readonly keys: ApiKeyCache,
    @Optional() @Inject(ApiKeysFile) private readonly file: ApiKeysFile | undefined,
    private readonly use: KeyUse,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns a promise only if the database must be asked.
   *
   * @param rawHeaders names and values in turn, as Node received them.
   * @throws (rejects) if the database cannot be asked: it is then unknown whether the key is good.
   */
  authenticate(rawHeaders: readonly string[]): Principal | Refusal | Promise<Principal | Refusal> {
    const bearer = readBearer(rawHeaders);
    if (bearer === 'missing') return Refusal.missing();
    if (bearer === 'repeated') return Refusal.invalid('repeated');
    const id = publicIdOf(bearer.key);
    if (id === undefined) return Refusal.invalid('malformed');
    const fromFile = this.file?.find(id);
    if (fromFile !== undefined) return this.judge(bearer.key, id, fromFile);
    const found = this.keys.find(id);
    if (!(found instanceof Promise)) return this.judgeStored(bearer.key, id, found);
    return found.then((key) => this.judgeStored(bearer.key, id, key));
  }

  private judgeStored(text: string, id: string, key: KnownApiKey | undefined): Principal | Refusal {
    const verdict = this.judge(text, id, key);
    if (!(verdict instanceof Refusal)) this.use.note(id);
    return verdict;
  }

  private judge(text: string, id: string, key: KnownApiKey | undefined): Principal | Refusal {
    const matches = matchesHash(text, key?.hash ?? NO_HASH);
    // A caller without the whole key must not learn its state, neither from the answer nor from its timing.
    if (key === undefined || !matches) return Refusal.invalid(key === undefined ? 'unknown' : 'mismatch', id);
    const state = stateOf(key, this.clock.now());
    if (state === 'revoked') return Refusal.invalid('revoked', id);
    if (state === 'expired') return Refusal.expired(id);
    return { keyId: key.id, client: key.client, scopes: key.scopes };
  }
}

/** The key of the Authorization header, or why there is none. */
export type Bearer = { readonly key: string } | 'missing' | 'repeated';

/** RFC 9110 §11.4: the scheme in any letter case, spaces, then the key. */
const CREDENTIALS = /^bearer +(.+)$/i;

/**
 * Reads `Authorization: Bearer <key>` (RFC 6750 §2.1). A key in any other place, such as the query, is ignored.
 *
 * @param rawHeaders names and values in turn, as Node received them.
 */
export function readBearer(rawHeaders: readonly string[]): Bearer {
  const [value = '', ...others] = headerValues(rawHeaders, 'authorization');
  if (others.length > 0) return 'repeated';
  const key = CREDENTIALS.exec(value)?.[1];
  return key === undefined ? 'missing' : { key };
}
