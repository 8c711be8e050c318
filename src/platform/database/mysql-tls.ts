import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { ConfigError, readFileBytes, type Config } from '../config/index.js';
import type { Log } from '../logging/index.js';

type Settings = Config['database']['tls'];

/** What mysql2 takes for `ssl`. */
interface Material {
  readonly minVersion: 'TLSv1.2';
  readonly rejectUnauthorized: true;
  readonly verifyIdentity: boolean;
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** The TLS of a new connection. The files of its certificates may be changed in place, as they are renewed. */
export class MysqlTls {
  private known: Material | undefined;
  private usable = true;
  private isFresh = false;

  /**
   * @param log gets a line once when the files cannot be used; what they had last holds on.
   * @throws {ConfigError} where they cannot be used from the start.
   */
  constructor(
    private readonly settings: Settings,
    private readonly log?: Log,
  ) {
    this.known = readMaterial(settings);
    if (this.known !== undefined) requireUsable(this.known);
  }

  /**
   * The same object as long as the files have the same bytes: mysql2 keeps a parsed context and TLS sessions for each.
   * Undefined for no TLS. Never throws.
   */
  get current(): object | undefined {
    if (this.known !== undefined) this.refresh(this.known);
    return this.known;
  }

  /** Once in a turn: mysql2 asks several times for one connection, and must not get a part of each. */
  private refresh(known: Material): void {
    if (this.isFresh) return;
    this.isFresh = true;
    queueMicrotask(() => (this.isFresh = false));
    try {
      const read = readMaterial(this.settings);
      if (read !== undefined && !isSame(read, known)) {
        requireUsable(read);
        this.known = read;
      }
      this.usable = true;
    } catch (err) {
      const message = 'The files of DATABASE_TLS_… cannot be used; the certificates that they had hold on';
      if (this.usable) this.log?.warn({ event: 'config.warning', err }, message);
      this.usable = false;
    }
  }
}

/** mysql2 checks the certificate's chain by default, its host name only when asked. Undefined for no TLS. */
function readMaterial({ mode, caFile, certFile, keyFile }: Settings): Material | undefined {
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

/** @throws {ConfigError} for what is no certificate or key. */
function requireUsable(material: Material): void {
  const { ca, cert, key } = material;
  parsed('DATABASE_TLS_CA_FILE', () => ca && new X509Certificate(ca));
  parsed('DATABASE_TLS_CERT_FILE', () => cert && new X509Certificate(cert));
  parsed('DATABASE_TLS_KEY_FILE', () => key && createPrivateKey(key));
  // The key may be another certificate's, as long as only one of the two is renewed.
  parsed('DATABASE_TLS_CERT_FILE', () => createSecureContext(material));
}

function parsed<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new ConfigError([{ name, reason: `cannot be used: ${(error as Error).message}` }]);
  }
}

function isSame(one: Material, other: Material): boolean {
  return (['ca', 'cert', 'key'] as const).every((part) => {
    const [here, there] = [one[part], other[part]];
    return here === undefined || there === undefined ? here === there : here.equals(there);
  });
}
