import { chmod, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { generateApiKey, type KeyEnvironment, type NewApiKey } from './api-key.js';
import type { KeyAudit } from './key-audit.js';
import type { KeyTerms } from './key-terms.js';
import { ApiKeysFileError, readApiKeys } from './read-api-keys.js';

/** Makes keys for a keys file (API_KEYS_FILE), away from any database. */
export class ApiKeysFileWriter {
  constructor(
    private readonly path: string,
    private readonly audit: KeyAudit,
    private readonly environment: KeyEnvironment,
  ) {}

  /**
   * Makes a key and adds its entry to the file, which is made where there is none. A service that reads the file sees
   * the old one or the new one, never a half.
   *
   * @throws {ApiKeysFileError} where the file cannot be used as it is, or not be written.
   */
  async create(terms: KeyTerms): Promise<NewApiKey> {
    const key = generateApiKey(this.environment);
    const before = await this.read();
    const text = `${JSON.stringify([...before.entries, entryOf(key, terms)], undefined, 2)}\n`;
    readApiKeys(text);
    await this.replace(text, before.mode);
    this.audit.record({ event: 'key.created', keyId: key.publicId, ...terms });
    return key;
  }

  private async read(): Promise<{ entries: readonly unknown[]; mode: number }> {
    try {
      const text = await readFile(this.path, 'utf8');
      readApiKeys(text);
      return { entries: JSON.parse(text) as unknown[], mode: (await stat(this.path)).mode & 0o777 };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { entries: [], mode: 0o600 };
      throw failure(error, 'read');
    }
  }

  private async replace(text: string, mode: number): Promise<void> {
    const draft = `${this.path}.${process.pid}.new`;
    try {
      await writeFile(draft, text, { mode, flag: 'wx' });
      await chmod(draft, mode);
      await rename(draft, this.path);
    } catch (error) {
      throw failure(error, 'written');
    }
  }
}

function entryOf({ publicId, hash }: NewApiKey, { client, scopes, expiresAt }: KeyTerms): object {
  return {
    id: publicId,
    hash: hash.toString('hex'),
    client,
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

function failure(error: unknown, what: 'read' | 'written'): ApiKeysFileError {
  if (error instanceof ApiKeysFileError) return error;
  return new ApiKeysFileError(`it cannot be ${what} (${(error as NodeJS.ErrnoException).code ?? 'unknown fault'})`);
}
