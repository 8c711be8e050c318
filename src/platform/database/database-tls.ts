/** What is wrong with the server's TLS; mysql2 calls all of it HANDSHAKE_SSL_ERROR. */
const CAUSES: readonly (readonly [code: string, message: RegExp])[] = [
  ['DATABASE_TLS_EXPIRED', /certificate (has expired|is not yet valid)/],
  ['DATABASE_TLS_WRONG_HOST', /does not match certificate/],
  ['DATABASE_TLS_UNTRUSTED', /self-signed certificate|unable to (verify|get)|certificate signature|invalid CA/],
];

/** Gives a fault of the server's TLS a code of its own, by which an operator tells them apart. Others stay as they are. */
export function nameTlsFault(fault: unknown): unknown {
  if (!(fault instanceof Error)) return fault;
  const { code } = fault as NodeJS.ErrnoException;
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') return Object.assign(fault, { code: 'DATABASE_TLS_NOT_OFFERED' });
  if (code !== 'HANDSHAKE_SSL_ERROR') return fault;
  const cause = CAUSES.find(([, message]) => message.test(fault.message))?.[0];
  return Object.assign(fault, { code: cause ?? 'DATABASE_TLS_FAILED' });
}
