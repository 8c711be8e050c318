import { describe, expect, it } from '@jest/globals';
import { nameTlsFault } from './database-tls.js';

describe('a fault of TLS', () => {
  const failure = (message: string, code = 'HANDSHAKE_SSL_ERROR') => Object.assign(new Error(message), { code });

  it.each([
    ['certificate has expired', 'DATABASE_TLS_EXPIRED'],
    ['certificate is not yet valid', 'DATABASE_TLS_EXPIRED'],
    ["Hostname/IP does not match certificate's altnames: Host: a.", 'DATABASE_TLS_WRONG_HOST'],
    ['unable to verify the first certificate', 'DATABASE_TLS_UNTRUSTED'],
    ['self-signed certificate in certificate chain', 'DATABASE_TLS_UNTRUSTED'],
    ['unsupported protocol', 'DATABASE_TLS_FAILED'],
  ])('%s is %s', (message, code) => {
    expect(nameTlsFault(failure(message))).toMatchObject({ code, message });
  });

  it('is not offering it, too', () => {
    const fault = failure('Server does not support secure connection', 'HANDSHAKE_NO_SSL_SUPPORT');
    expect(nameTlsFault(fault)).toMatchObject({ code: 'DATABASE_TLS_NOT_OFFERED' });
  });

  it('is told from every other', () => {
    expect(nameTlsFault(failure('connect ECONNREFUSED', 'ECONNREFUSED'))).toMatchObject({ code: 'ECONNREFUSED' });
    expect(nameTlsFault('certificate has expired')).toBe('certificate has expired');
  });
});
