import { beforeEach, expect, it, jest } from '@jest/globals';
import * as crypto from 'node:crypto';

const timingSafeEqual = jest.fn(crypto.timingSafeEqual);
jest.unstable_mockModule('node:crypto', () => ({ ...crypto, timingSafeEqual }));
const { generateApiKey } = await import('./api-key.js');
const { Authenticator } = await import('./authenticator.js');

const known = generateApiKey('test', 'known000');
const stored = { id: 'known000', client: 'a', hash: known.hash, scopes: ['*'], expiresAt: undefined };

function judge(key: string, revokedAt?: number): unknown {
  const find = (id: string) => (id === stored.id ? { ...stored, revokedAt } : undefined);
  const authenticator = new Authenticator({ find } as never, undefined, { note: () => {} } as never, { now: () => 1 });
  return authenticator.authenticate(['Authorization', `Bearer ${key}`]);
}

beforeEach(() => {
  timingSafeEqual.mockClear();
});

it.each([
  ['a good key', () => judge(known.text)],
  ['a revoked one', () => judge(known.text, 1)],
  ['another secret under its id', () => judge(generateApiKey('test', 'known000').text)],
  ['an unknown id', () => judge(generateApiKey('test', 'unknown0').text)],
])('%s is compared in constant time, once, hash by hash', (_, ask) => {
  ask();
  expect(timingSafeEqual.mock.calls.map((sides) => sides.map(({ byteLength }) => byteLength))).toEqual([[32, 32]]);
});
