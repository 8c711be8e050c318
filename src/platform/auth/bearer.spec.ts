import { describe, expect, it } from '@jest/globals';
import { readBearer } from './authenticator.js';

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
