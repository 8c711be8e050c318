import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { coreErrors, ApiError } from '../errors/index.js';
import { generateApiKey, type KnownApiKey, type NewApiKey } from './api-key.js';
import { ApiKeyCache, type FindApiKeys } from './api-key.cache.js';
import type { ApiKeysFile } from './api-keys-file.js';
import { Authenticator, readBearer, Refusal } from './authenticator.js';
import { KeyUse, type MarkUsed } from './key-use.js';

const NOW = Date.UTC(2026, 0, 15, 12);
const clock = { now: () => NOW };

let rows: KnownApiKey[];
let inFile: KnownApiKey[];
let find: jest.Mock<FindApiKeys>;
let markUsed: jest.Mock<MarkUsed>;
let use: KeyUse;
let authenticator: Authenticator;

function known(key: NewApiKey, changes: Partial<KnownApiKey> = {}): KnownApiKey {
  const terms = { client: 'acme', scopes: ['pets:read'], expiresAt: undefined, revokedAt: undefined };
  return { id: key.publicId, hash: key.hash, ...terms, ...changes };
}

function authenticate(key: string): ReturnType<Authenticator['authenticate']> {
  return authenticator.authenticate(['Host', 'localhost', 'Authorization', `Bearer ${key}`]);
}

async function refusalOf(key: string): Promise<{ code: string; reason: string; keyId: string | undefined }> {
  const verdict = await authenticate(key);
  if (!(verdict instanceof Refusal)) throw new Error('The key was accepted');
  return { code: verdict.error.code, reason: verdict.reason, keyId: verdict.keyId };
}

beforeEach(() => {
  rows = [];
  inFile = [];
  find = jest.fn<FindApiKeys>(async (ids) => rows.filter((row) => ids.includes(row.id)));
  markUsed = jest.fn<MarkUsed>(async () => {});
  use = new KeyUse(markUsed, clock, { warn: jest.fn() });
  const file = { find: (id: string) => inFile.find((key) => key.id === id) } as unknown as ApiKeysFile;
  authenticator = new Authenticator(new ApiKeyCache(find, 5000), file, use, clock);
});

describe('a good key', () => {
  it('gives its client and scopes, at once from the second request on', async () => {
    const key = generateApiKey('test');
    rows.push(known(key));
    const principal = { keyId: key.publicId, client: 'acme', scopes: ['pets:read'] };
    expect(await authenticate(key.text)).toEqual(principal);
    expect(authenticate(key.text)).toEqual(principal);
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('leaves nothing of its hash on the principal', async () => {
    const key = generateApiKey('test');
    rows.push(known(key));
    expect(Object.keys(await authenticate(key.text)).sort()).toEqual(['client', 'keyId', 'scopes']);
  });

  it('is noted as used, a bad one with its id is not', async () => {
    const key = generateApiKey('test');
    rows.push(known(key));
    await authenticate(generateApiKey('test', key.publicId).text);
    await use.write();
    expect(markUsed).not.toHaveBeenCalled();
    await authenticate(key.text);
    await use.write();
    expect(markUsed).toHaveBeenCalledWith([key.publicId], 20468);
  });

  it('may be one of several of its client', async () => {
    const keys = [generateApiKey('live'), generateApiKey('live')];
    rows.push(...keys.map((key) => known(key)));
    for (const key of keys) expect(await authenticate(key.text)).toMatchObject({ client: 'acme', keyId: key.publicId });
  });

  it('may come from the file, which holds where the database has the id too', async () => {
    const key = generateApiKey('live');
    rows.push(known(key, { revokedAt: NOW - 1 }));
    inFile.push(known(key, { client: 'cluster' }));
    expect(authenticate(key.text)).toMatchObject({ client: 'cluster' });
    expect(find).not.toHaveBeenCalled();
  });
});

describe('a refused request', () => {
  it.each([[[]], [['Authorization', 'Basic YTpi']]])('without a key is told how to send one: %j', (rawHeaders) => {
    const refusal = authenticator.authenticate(rawHeaders) as Refusal;
    expect(refusal.reason).toBe('missing');
    expect(refusal.error.kind).toBe(coreErrors.missingApiKey);
    expect(refusal.error.headers).toEqual({ 'WWW-Authenticate': 'Bearer realm="animal-store"' });
  });

  it('with two Authorization headers is refused, were both of them good', async () => {
    const key = generateApiKey('test');
    rows.push(known(key));
    await authenticate(key.text);
    const twice = ['Authorization', `Bearer ${key.text}`, 'authorization', `Bearer ${key.text}`];
    expect(authenticator.authenticate(twice)).toMatchObject({ reason: 'repeated' });
  });

  it.each([
    ['one character off', (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0')],
    ['8 KiB long', () => 'x'.repeat(8192)],
    ['two keys in one', (text: string) => `${text}, Bearer ${text}`],
  ])('with a malformed key, %s, asks no database', async (_name, spoil) => {
    expect(await refusalOf(spoil(generateApiKey('test').text))).toEqual({
      code: 'invalid_api_key',
      reason: 'malformed',
      keyId: undefined,
    });
    expect(find).not.toHaveBeenCalled();
  });

  it('with an unknown key asks the database once', async () => {
    const { text, publicId } = generateApiKey('test');
    const refusal = { code: 'invalid_api_key', reason: 'unknown', keyId: publicId };
    expect(await refusalOf(text)).toEqual(refusal);
    expect(await refusalOf(text)).toEqual(refusal);
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('with the id of one key and the secret of another is refused, whatever state the key is in', async () => {
    const revoked = generateApiKey('test');
    rows.push(known(revoked, { revokedAt: 1, expiresAt: 1 }));
    const guess = generateApiKey('test', revoked.publicId);
    expect(await refusalOf(guess.text)).toMatchObject({ code: 'invalid_api_key', reason: 'mismatch' });
  });

  it.each([
    ['expired', { expiresAt: NOW - 1 }],
    ['revoked', { revokedAt: NOW - 1 }],
    ['live', {}],
  ])('with the id of an %s key and another secret learns nothing of that', async (_state, changes) => {
    const key = generateApiKey('test');
    rows.push(known(key, changes));
    const { error } = (await authenticate(generateApiKey('test', key.publicId).text)) as Refusal;
    const { error: unknown } = (await authenticate(generateApiKey('test').text)) as Refusal;
    expect([error.code, error.message, error.headers]).toStrictEqual([
      'invalid_api_key',
      unknown.message,
      unknown.headers,
    ]);
  });

  it.each([0, 31, 33])('with a key whose row has a hash of %i bytes is refused', async (length) => {
    const key = generateApiKey('test');
    rows.push(known(key, { hash: Buffer.alloc(length) }));
    expect(await refusalOf(key.text)).toMatchObject({ code: 'invalid_api_key', reason: 'mismatch' });
  });

  it('with a key in another case is refused', async () => {
    // With the hash reversed, the checksum is right and only the hash refuses the key. In upper case the checksum is
    // wrong.
    const key = generateApiKey('test');
    rows.push(known(key, { hash: Buffer.from(key.hash).reverse() }));
    expect(await refusalOf(key.text)).toMatchObject({ reason: 'mismatch' });
    expect(await refusalOf(key.text.toUpperCase())).toMatchObject({ reason: 'malformed' });
  });

  it('with a revoked key is refused, expired or not', async () => {
    const key = generateApiKey('test');
    rows.push(known(key, { revokedAt: NOW - 1, expiresAt: NOW - 1 }));
    expect(await refusalOf(key.text)).toMatchObject({ code: 'invalid_api_key', reason: 'revoked' });
  });

  it('with an expired key says so, from the very millisecond', async () => {
    const [past, last] = [generateApiKey('test'), generateApiKey('test')];
    rows.push(known(past, { expiresAt: NOW }), known(last, { expiresAt: NOW + 1 }));
    expect(await refusalOf(past.text)).toMatchObject({ code: 'expired_api_key', reason: 'expired' });
    expect(await authenticate(last.text)).toMatchObject({ keyId: last.publicId });
  });

  it('with a bad key is challenged as RFC 6750 has it', async () => {
    const refusal = (await authenticate(generateApiKey('test').text)) as Refusal;
    expect(refusal.error.headers).toEqual({
      'WWW-Authenticate': 'Bearer realm="animal-store", error="invalid_token"',
    });
  });
});

describe('a database that cannot be asked', () => {
  it('makes a key that is not remembered neither good nor bad', async () => {
    find.mockRejectedValue(new ApiError(coreErrors.serviceUnavailable));
    await expect(authenticate(generateApiKey('test').text)).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('leaves a remembered key as it is', async () => {
    const key = generateApiKey('test');
    rows.push(known(key));
    await authenticate(key.text);
    find.mockRejectedValue(new ApiError(coreErrors.serviceUnavailable));
    expect(authenticate(key.text)).toMatchObject({ keyId: key.publicId });
  });
});

describe('readBearer', () => {
  it.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('takes the scheme %s', (scheme) => {
    expect(readBearer(['Host', 'x', 'Authorization', `${scheme} Key`])).toEqual({ key: 'Key' });
  });

  it('takes the header under any case of its name', () => {
    expect(readBearer(['AUTHORIZATION', 'Bearer Key'])).toEqual({ key: 'Key' });
  });

  it('keeps the case of the key', () => {
    expect(readBearer(['authorization', 'Bearer kEy'])).toEqual({ key: 'kEy' });
  });

  it.each([
    ['no header', []],
    ['an empty value', ['Authorization', '']],
    ['another scheme', ['Authorization', 'Basic YTpi']],
    ['the scheme alone', ['Authorization', 'Bearer']],
    ['the key alone', ['Authorization', 'as_live_x']],
    ['a scheme that only begins alike', ['Authorization', 'BearerKey']],
    ['a tab for the space', ['Authorization', 'Bearer\tKey']],
    ['another header of the same length', ['x-authorizat', 'Bearer Key']],
    ['the proxy header', ['Proxy-Authorization', 'Bearer Key']],
    ['the name as a value', ['X-Name', 'authorization']],
  ])('finds no key in %s', (_name, rawHeaders) => {
    expect(readBearer(rawHeaders)).toBe('missing');
  });

  it.each([
    ['twice the same', ['Authorization', 'Bearer Key', 'Authorization', 'Bearer Key']],
    ['in two cases of the name', ['authorization', 'Bearer Key', 'Host', 'x', 'AUTHORIZATION', 'Basic x']],
    ['one of them empty', ['Authorization', '', 'Authorization', 'Bearer Key']],
  ])('refuses two headers: %s', (_name, rawHeaders) => {
    expect(readBearer(rawHeaders)).toBe('repeated');
  });

  it('hands on what follows the scheme whole, so that two keys in one header are no key', () => {
    expect(readBearer(['Authorization', 'Bearer one, Bearer two'])).toEqual({ key: 'one, Bearer two' });
  });
});
