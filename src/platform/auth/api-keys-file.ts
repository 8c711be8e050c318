import { stat } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Log } from '../logging/index.js';
import type { KeyAudit } from './key-audit.js';
import { readApiKeys, readKeysFile, unusableKeysFile } from './read-api-keys.js';
import type { KnownApiKey } from './stored-api-key.js';

const LOOK_EVERY_MS = 1000;

/**
 * Keys from a mounted file, API_KEYS_FILE, beside those in the database; where an id is in both, the file decides.
 *
 * The file is looked at every second rather than watched: kubelet swaps a symbolic link two folders up, and network
 * file systems send no events. A new file that cannot be used changes nothing and is logged once. A file that is gone
 * revokes nothing; one with `[]` revokes all. The audit records keys that come and go, as it does for those of the database.
 */
export class ApiKeysFile implements OnApplicationShutdown {
  private keys: ReadonlyMap<string, KnownApiKey> = new Map();
  /** What the file looked like when it was last read. */
  private seen = '';
  private lastFault: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isOver = false;

  private constructor(
    private readonly path: string,
    private readonly log: Pick<Log, 'info' | 'error'>,
    private readonly audit: KeyAudit,
  ) {}

  /**
   * Reads the file and begins to look for changes.
   *
   * @throws {ApiKeysFileError} where the file cannot be used at all.
   */
  static async open(path: string, log: Pick<Log, 'info' | 'error'>, audit: KeyAudit): Promise<ApiKeysFile> {
    const file = new ApiKeysFile(path, log, audit);
    file.read(await file.look());
    file.lookAgainLater();
    return file;
  }

  find(id: string): KnownApiKey | undefined {
    return this.keys.get(id);
  }

  /** Reads the file if it changed. Never rejects. */
  async refresh(): Promise<void> {
    try {
      const seen = await this.look();
      if (seen === this.seen && this.lastFault === undefined) return;
      const before = this.keys;
      this.read(seen);
      this.lastFault = undefined;
      this.recordChanges(before);
      this.log.info({ event: 'keys_file.loaded', keys: this.keys.size }, 'The API keys file was read again');
    } catch (error) {
      this.report(error);
    }
  }

  onApplicationShutdown(): void {
    this.isOver = true;
    clearTimeout(this.timer);
  }

  /** Sees every change: a write (ctime, size), a replacement or a swapped link (inode, device). */
  private async look(): Promise<string> {
    try {
      const { dev, ino, size, ctimeNs, mtimeNs } = await stat(this.path, { bigint: true });
      return [dev, ino, size, ctimeNs, mtimeNs].join(' ');
    } catch (error) {
      throw unusableKeysFile(error, 'read');
    }
  }

  private read(seen: string): void {
    this.keys = readApiKeys(readKeysFile(this.path));
    this.seen = seen;
  }

  /** An entry that says another thing than before is the end of one key and the beginning of another. */
  private recordChanges(before: ReadonlyMap<string, KnownApiKey>): void {
    const gone = [...before.values()].filter((key) => !isDeepStrictEqual(key, this.keys.get(key.id)));
    const come = [...this.keys.values()].filter((key) => !isDeepStrictEqual(key, before.get(key.id)));
    for (const { id, client } of gone) this.audit.record({ event: 'key.revoked', keyId: id, client });
    for (const { id, client, scopes, expiresAt } of come) {
      this.audit.record({ event: 'key.created', keyId: id, client, scopes, expiresAt });
    }
  }

  private report(error: unknown): void {
    const fault = (error as Error).message;
    if (fault === this.lastFault) return;
    this.lastFault = fault;
    this.log.error({ event: 'keys_file.refused' }, `The API keys file cannot be used, the old keys stay: ${fault}`);
  }

  private lookAgainLater(): void {
    if (this.isOver) return;
    this.timer = setTimeout(() => void this.refresh().finally(() => this.lookAgainLater()), LOOK_EVERY_MS).unref();
  }
}
