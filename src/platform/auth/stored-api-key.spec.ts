import { describe, expect, it } from '@jest/globals';
import { nameOfDay, stateOf, storedApiKey, type StoredApiKey } from './stored-api-key.js';

const NOW = Date.UTC(2026, 0, 15);
const HASH = 'ab'.repeat(32);

function keyOf(changes: Record<string, unknown> = {}): StoredApiKey {
  return storedApiKey({
    id: 'abcdefgh',
    client: 'acme',
    hash: HASH,
    scopes: 'pets:read pets:write',
    created_at: BigInt(NOW),
    expires_at: null,
    revoked_at: null,
    last_used_day: null,
    ...changes,
  });
}

describe('a row', () => {
  it('is the key that it was made of', () => {
    expect(keyOf({ expires_at: BigInt(NOW + 1), revoked_at: BigInt(NOW), last_used_day: 20_468n })).toStrictEqual({
      id: 'abcdefgh',
      client: 'acme',
      hash: Buffer.from(HASH, 'hex'),
      scopes: ['pets:read', 'pets:write'],
      createdAt: NOW,
      expiresAt: NOW + 1,
      revokedAt: NOW,
      lastUsedDay: 20_468,
    });
    expect(keyOf()).toMatchObject({ expiresAt: undefined, revokedAt: undefined, lastUsedDay: undefined });
  });

  it.each([9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, 'never', ''])(
    'with the time %p is one whose times can be shown',
    (time) => {
      const key = keyOf({ created_at: time, expires_at: time, revoked_at: time, last_used_day: time });
      for (const shown of [key.createdAt, key.expiresAt, key.revokedAt]) {
        expect(new Date(shown ?? Number.NaN).toISOString()).toMatch(/Z$/);
      }
      expect(nameOfDay(key.lastUsedDay ?? Number.NaN)).toMatch(/^[-+]?\d+-/);
    },
  );
});

describe('the state', () => {
  it.each([
    ['live', {}],
    ['live', { expires_at: BigInt(NOW + 1) }],
    ['live', { expires_at: 9_223_372_036_854_775_807n }],
    ['expired', { expires_at: BigInt(NOW) }],
    ['expired', { expires_at: -9_223_372_036_854_775_808n }],
    ['expired', { expires_at: 'never' }],
    ['revoked', { revoked_at: BigInt(NOW) }],
    ['revoked', { revoked_at: BigInt(NOW + 1), expires_at: BigInt(NOW) }],
    ['revoked', { revoked_at: 'once', hash: '' }],
    ['damaged', { hash: '' }],
    ['damaged', { hash: HASH.slice(2) }],
    ['damaged', { hash: `${HASH}ab` }],
    ['damaged', { hash: 'not hexadecimal'.repeat(5), expires_at: BigInt(NOW) }],
  ])('is %s: %p', (state, changes) => {
    expect(stateOf(keyOf(changes), NOW)).toBe(state);
  });
});
