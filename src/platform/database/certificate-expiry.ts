import type { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

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
