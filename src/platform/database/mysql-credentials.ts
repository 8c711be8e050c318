import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ConfigError, currentDatabaseTarget, readFileBytes, type Config } from '../config/index.js';
import type { Log } from '../logging/index.js';

type TlsSettings = Config['database']['tls'];

interface Login {
  readonly user: string;
  readonly password: string;
}

/** The option `ssl` of mysql2. */
interface TlsMaterial {
  readonly minVersion: 'TLSv1.2';
  readonly rejectUnauthorized: true;
  readonly verifyIdentity: boolean;
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/**
 * The content of files that may change while the service runs, because secrets are rotated and certificates are
 * renewed.
 */
export class FollowedFiles<T> {
  private areUsable = true;

  /**
   * @param known the current content.
   * @param read returns the new content. If it throws, the last content stays in use, and one warning is logged.
   */
  constructor(
    private known: T,
    private readonly read: (known: T) => T,
    private readonly warning: string,
    private readonly log?: Log,
  ) {}

  /** The content, read again for each call. Never throws. */
  get current(): T {
    try {
      this.known = this.read(this.known);
      this.areUsable = true;
    } catch (err) {
      if (this.areUsable) this.log?.warn({ event: 'config.warning', err }, this.warning);
      this.areUsable = false;
    }
    return this.known;
  }
}

/** The login of a new connection. If DATABASE_URL comes from a file, changes of the file apply. */
export function mysqlLogin(settings: Config['database'], login: Login, log?: Log): FollowedFiles<Login> {
  const read = (known: Login): Login => {
    const target = currentDatabaseTarget(settings);
    return target.kind === 'mysql' ? target : known;
  };
  return new FollowedFiles(login, read, 'DATABASE_URL_FILE cannot be used; the login that it had holds on', log);
}

/**
 * The TLS options of a new connection; undefined without TLS. Changes of the certificate files apply. The object stays
 * the same while the files have the same bytes, because mysql2 caches a parsed context and TLS sessions for each
 * object.
 *
 * @throws {ConfigError} if the files cannot be used at the start.
 */
export function mysqlTls(settings: TlsSettings, log?: Log): FollowedFiles<TlsMaterial | undefined> {
  const read = (known: TlsMaterial | undefined): TlsMaterial | undefined => {
    const material = readMaterial(settings);
    if (material === undefined || (known !== undefined && isSame(material, known))) return known;
    requireUsable(material);
    return material;
  };
  const warning = 'The files of DATABASE_TLS_… cannot be used; the certificates that they had hold on';
  return new FollowedFiles(read(undefined), read, warning, log);
}

/** By default mysql2 checks the certificate chain, but not the host name. Undefined without TLS. */
function readMaterial({ mode, caFile, certFile, keyFile }: TlsSettings): TlsMaterial | undefined {
  if (mode === 'disable') return undefined;
  const read = (name: string, file: string): Buffer => parsed(name, () => readFileBytes(file));
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    verifyIdentity: mode === 'verify-identity',
    ...(caFile === undefined ? {} : { ca: read('DATABASE_TLS_CA_FILE', caFile) }),
    ...(certFile === undefined ? {} : { cert: read('DATABASE_TLS_CERT_FILE', certFile) }),
    ...(keyFile === undefined ? {} : { key: read('DATABASE_TLS_KEY_FILE', keyFile) }),
  };
}

/** @throws {ConfigError} for an invalid certificate or key, and for a key that does not belong to the certificate. */
function requireUsable(material: TlsMaterial): void {
  const { ca, cert, key } = material;
  parsed('DATABASE_TLS_CA_FILE', () => ca && new X509Certificate(ca));
  parsed('DATABASE_TLS_CERT_FILE', () => cert && new X509Certificate(cert));
  parsed('DATABASE_TLS_KEY_FILE', () => key && createPrivateKey(key));
  // While only one of the two files is renewed, the key belongs to another certificate.
  parsed('DATABASE_TLS_CERT_FILE', () => createSecureContext(material));
}

function parsed<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError([{ name, reason: `cannot be used: ${(error as Error).message}` }]);
  }
}

function isSame(one: TlsMaterial, other: TlsMaterial): boolean {
  return (['ca', 'cert', 'key'] as const).every((part) => {
    const [here, there] = [one[part], other[part]];
    return here === undefined || there === undefined ? here === there : here.equals(there);
  });
}
