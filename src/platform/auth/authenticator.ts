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

/** Compared with where there is no key, so that an unknown id takes the time of a known one. */
const NO_HASH = Buffer.alloc(32);

/**
 * Decides who a request comes from.
 *
 * The key is hashed for every request. Remembering accepted headers instead would save little, and cost a comparison in
 * constant time, and keys in memory.
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
   * At once where the key's public id is remembered, else when the database has answered.
   *
   * @param rawHeaders names and values in turn, as Node received them.
   * @throws {ApiError} (rejects) `service_unavailable` where the database cannot be asked: nobody knows then whether
   *   the key is good.
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
    // Whoever does not have the whole key learns nothing of its state, not even from the time that the answer takes.
    if (key === undefined || !matches) return Refusal.invalid(key === undefined ? 'unknown' : 'mismatch', id);
    const state = stateOf(key, this.clock.now());
    if (state === 'revoked') return Refusal.invalid('revoked', id);
    if (state === 'expired') return Refusal.expired(id);
    return { keyId: key.id, client: key.client, scopes: key.scopes };
  }
}

/** The Authorization header of a request: a key, or why there is none to look at. */
export type Bearer = { readonly key: string } | 'missing' | 'repeated';

/** RFC 9110 §11.4: the scheme in any case, spaces, then the rest. */
const CREDENTIALS = /^bearer +(.+)$/i;

/**
 * Reads `Authorization: Bearer <key>` (RFC 6750 §2.1). A key anywhere else, such as in the query, is no key.
 *
 * @param rawHeaders names and values in turn, as Node received them.
 */
export function readBearer(rawHeaders: readonly string[]): Bearer {
  const [value = '', ...others] = headerValues(rawHeaders, 'authorization');
  if (others.length > 0) return 'repeated';
  const key = CREDENTIALS.exec(value)?.[1];
  return key === undefined ? 'missing' : { key };
}
