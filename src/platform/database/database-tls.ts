import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

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

export interface CertificateExpiry {
  /** The earliest in the server's chain, up to the authority. */
  readonly server?: Date;
  /** Of the client certificate that was sent. */
  readonly client?: Date;
}

/** When the certificates of a connection expire; empty where it has no TLS. */
export function certificateExpiry(socket: Socket): CertificateExpiry {
  if (!(socket instanceof TLSSocket)) return {};
  const [server, client] = [socket.getPeerX509Certificate(), socket.getX509Certificate()];
  return {
    ...(server === undefined ? {} : { server: earliest(server) }),
    ...(client === undefined ? {} : { client: client.validToDate }),
  };
}

function earliest(certificate: X509Certificate): Date {
  const { issuerCertificate: issuer, validToDate } = certificate;
  if (issuer === undefined || issuer.fingerprint256 === certificate.fingerprint256) return validToDate;
  const above = earliest(issuer);
  return above < validToDate ? above : validToDate;
}
