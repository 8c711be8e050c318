import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeScratch, scratchFolder } from './scratch.js';

/** A test's own certificate authority, made by openssl. All of its files are in one folder. */
export class CertificateAuthority {
  readonly #folder = scratchFolder('certificates');

  constructor() {
    this.#openssl('req', '-x509', ...NEW_KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=CA');
  }

  /** The certificate of the authority, for clients that trust it. */
  get certificate(): string {
    return join(this.#folder, 'ca.pem');
  }

  /**
   * Signs a server's certificate.
   *
   * @param names in openssl's format, for example `IP:127.0.0.1,DNS:localhost`.
   * @param days for which it is valid; -1 for a certificate that expired yesterday.
   */
  issue(names: string, days = 2): { readonly certificate: string; readonly key: string } {
    const name = `issued-${String(Math.random()).slice(2)}`;
    writeFileSync(join(this.#folder, `${name}.ext`), `subjectAltName=${names}\n`);
    this.#openssl('req', ...NEW_KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=server');
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', `${name}.ext`];
    this.#openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-days', String(days), '-out', `${name}.pem`);
    return { certificate: join(this.#folder, `${name}.pem`), key: join(this.#folder, `${name}.key`) };
  }

  remove(): void {
    removeScratch(this.#folder);
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] });
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
