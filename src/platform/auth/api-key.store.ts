import { IsNull, type DataSource, type Repository } from 'typeorm';
import type { Clock } from '../time.js';
import { inList, isDuplicateKey } from '../database/index.js';
import { dayOf, generateApiKey, stateOf, type KeyEnvironment, type NewApiKey, type StoredApiKey } from './api-key.js';
import { ApiKeyEntity } from './api-key.entity.js';
import type { KeyAudit } from './key-audit.js';
import { EVERYTHING, type KeyTerms } from './key-terms.js';

/** The key does not exist, or its state does not allow the change. The message is a plain sentence for the user. */
export class KeyProblem extends Error {
  override readonly name = 'KeyProblem';
}

/** The store reads rows and not entities: `storedApiKey` also accepts values that other programs wrote. */
const SELECT = 'SELECT id, client, hash, scopes, created_at, expires_at, revoked_at, last_used_day FROM api_key';

type Row = Record<string, unknown>;

/**
 * The API keys in the database. The text of a key is returned only once, by `create` and `roll`.
 *
 * Every method rejects with TypeORM's QueryFailedError. The audit records a change after it is committed.
 */
export class ApiKeyStore {
  private readonly keys: Repository<ApiKeyEntity>;

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly audit: KeyAudit,
    private readonly environment: KeyEnvironment,
  ) {
    this.keys = dataSource.getRepository(ApiKeyEntity);
  }

  /**
   * Creates a key.
   *
   * @param publicId 8 base62 characters. Default: random.
   * @throws {QueryFailedError} (rejects); for a duplicate key if the public id is already used.
   */
  async create(terms: KeyTerms, publicId?: string): Promise<NewApiKey> {
    const key = generateApiKey(this.environment, publicId);
    await this.insert(key, terms);
    this.audit.record({ event: 'key.created', keyId: key.publicId, ...terms });
    return key;
  }

  /** All keys, also expired and revoked ones, oldest first. */
  async list(): Promise<StoredApiKey[]> {
    return (await this.dataSource.query<Row[]>(`${SELECT} ORDER BY created_at, id`)).map(storedApiKey);
  }

  async isEmpty(): Promise<boolean> {
    return !(await this.keys.exists());
  }

  /** @param ids at least one. */
  async findMany(ids: readonly string[]): Promise<StoredApiKey[]> {
    const { marks, values } = inList(ids);
    return (await this.dataSource.query<Row[]>(`${SELECT} WHERE id IN (${marks})`, values)).map(storedApiKey);
  }

  /**
   * Revokes a key. This cannot be undone.
   *
   * @returns false if it was already revoked.
   * @throws {KeyProblem} if the key does not exist.
   */
  async revoke(id: string): Promise<boolean> {
    const key = await this.get(id);
    const revokedAt = BigInt(this.clock.now());
    const { affected } = await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt });
    if (affected === 0) return false;
    this.audit.record({ event: 'key.revoked', keyId: id, client: key.client });
    return true;
  }

  /**
   * Creates a successor for the same client and scopes, and lets the old key expire.
   *
   * @param overlapMs how long the old key still works. Milliseconds. Its earlier expiry, if it has one, still holds.
   * @param expiresAt the expiry of the successor. Milliseconds since the Unix epoch. Undefined: it does not expire.
   * @throws {KeyProblem} if the key does not exist, or is expired, revoked or damaged.
   */
  async roll(id: string, overlapMs: number, expiresAt?: number): Promise<NewApiKey> {
    const successor = generateApiKey(this.environment);
    const rolled = await this.dataSource.transaction(async () => {
      const old = await this.get(id);
      const now = this.clock.now();
      if (stateOf(old, now) !== 'live') throw new KeyProblem(`Key ${id} is ${stateOf(old, now)} and cannot be rolled.`);
      const end = Math.min(now + overlapMs, old.expiresAt ?? Infinity);
      await this.keys.update({ id }, { expiresAt: BigInt(end) });
      await this.insert(successor, { client: old.client, scopes: old.scopes, expiresAt });
      return { client: old.client, expiresAt: end };
    });
    this.audit.record({ event: 'key.rolled', keyId: id, successorId: successor.publicId, ...rolled });
    return successor;
  }

  /** Records the last day on which keys were accepted. A later day in the table stays. */
  async markUsed(ids: readonly string[], day: number): Promise<void> {
    const { marks, values } = inList(ids);
    await this.dataSource.query(
      `UPDATE api_key SET last_used_day = ? WHERE id IN (${marks}) AND (last_used_day IS NULL OR last_used_day < ?)`,
      [day, ...values, day],
    );
  }

  private async get(id: string): Promise<StoredApiKey> {
    const [key] = await this.findMany([id]);
    if (key === undefined) throw new KeyProblem(`There is no key with the id ${id}.`);
    return key;
  }

  private async insert(key: NewApiKey, terms: KeyTerms): Promise<void> {
    await this.keys.insert({
      id: key.publicId,
      client: terms.client,
      hash: key.hash.toString('hex'),
      scopes: terms.scopes.join(' '),
      createdAt: BigInt(this.clock.now()),
      expiresAt: terms.expiresAt === undefined ? null : BigInt(terms.expiresAt),
      revokedAt: null,
      lastUsedDay: null,
    });
  }
}

/**
 * The id is the same in every process. If several start on one empty database, the primary key lets only one insert it.
 */
const FIRST_ID = 'firstkey';

/**
 * Creates a key with all scopes if the table has no key at all, not even an expired or revoked one. For development:
 * the first start needs a key to try the service with.
 *
 * @returns the text of the key; undefined if there already was a key.
 */
export async function createFirstKey(store: ApiKeyStore): Promise<string | undefined> {
  if (!(await store.isEmpty())) return undefined;
  try {
    const terms = { client: 'first-key', scopes: [EVERYTHING], expiresAt: undefined };
    return (await store.create(terms, FIRST_ID)).text;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

/** Milliseconds since the Unix epoch: the last moment that a `Date` can hold (ECMA-262, 21.4.1.1). */
const LAST_MOMENT = 8.64e15;

/**
 * Converts a row to a key. It accepts any values that other programs wrote into the row: a time out of the range of
 * `Date` becomes the nearest end of the range, and a value that is no number becomes 1970.
 */
export function storedApiKey(row: Readonly<Record<string, unknown>>): StoredApiKey {
  return {
    id: String(row['id']),
    client: String(row['client']),
    hash: Buffer.from(String(row['hash']), 'hex'),
    scopes: String(row['scopes']).split(' '),
    createdAt: within(row['created_at'], LAST_MOMENT),
    expiresAt: isNone(row['expires_at']) ? undefined : within(row['expires_at'], LAST_MOMENT),
    revokedAt: isNone(row['revoked_at']) ? undefined : within(row['revoked_at'], LAST_MOMENT),
    lastUsedDay: isNone(row['last_used_day']) ? undefined : within(row['last_used_day'], dayOf(LAST_MOMENT)),
  };
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

function within(value: unknown, most: number): number {
  const number = Number(value);
  return Number.isNaN(number) ? 0 : Math.max(-most, Math.min(most, number));
}
