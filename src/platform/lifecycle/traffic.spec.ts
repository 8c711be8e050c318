import { createServer } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { listen, ListenError } from './traffic.js';

describe('what is told where nobody can listen', () => {
  it('names an address that the machine does not have', async () => {
    // TEST-NET-3 (RFC 5737): no machine has this address.
    const why = 'this machine has no such address (EADDRNOTAVAIL). Set HOST to one that it has.';
    await expect(listen('PORT', createServer(), '203.0.113.7', 0)).rejects.toThrow(
      `PORT 0 on 203.0.113.7 cannot be listened on: ${why}`,
    );
  });

  it('names a host that has no address', async () => {
    // RFC 2606: no name server knows this name. Without a reachable name server the code is another one.
    await expect(listen('PORT', createServer(), 'nowhere.invalid', 0)).rejects.toThrow(
      /^PORT 0 on nowhere\.invalid cannot be listened on: no address is found for this name \(E\w+\)\. Set HOST to an address\.$/,
    );
  });

  it('names a port for which one must be root', () => {
    const fault = new ListenError('PORT', '0.0.0.0', 80, Object.assign(new Error(), { code: 'EACCES' }));
    expect(fault.message).toBe(
      'PORT 80 on 0.0.0.0 cannot be listened on: this user may not (EACCES). Set PORT to a port above 1023.',
    );
  });

  it('has the code of any other fault', () => {
    const fault = new ListenError('PORT', '0.0.0.0', 80, Object.assign(new Error(), { code: 'EMFILE' }));
    expect(fault.message).toBe('PORT 80 on 0.0.0.0 cannot be listened on: EMFILE.');
  });
});
