import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformDataSource } from './data-source.js';
import { SessionError } from './mysql-session.js';

/**
 * A server without utf8mb4 changes this text, silently or not. Its characters have two, three and four bytes in UTF-8.
 */
const TEXT = 'é€🐶';

/** The record is never the answer to a request. It has expired, so the purge deletes it if it remains. */
const INSERT = 'INSERT INTO idempotency_record (id, fingerprint, answer, expires_at) VALUES (?, ?, ?, 0)';

const SELECT = 'SELECT answer FROM idempotency_record WHERE id = ?';
const TRIES = 10;
const TRY_AFTER_MS = 100;

/**
 * Writes a row in one session, ends the session, and reads the row in another session. This proves that an acknowledged
 * write is durable and that its text is exact, on this server and through any proxy before it. The row is in
 * `idempotency_record`, the only table from which the service may also delete. A server that refuses the write, for
 * example because it is read-only, passes: it refuses each later write too.
 *
 * @throws {SessionError} (rejects) if the server acknowledged the write, and the row is missing or changed. Otherwise
 * it rejects with the error of the driver in the second session.
 */
export async function requireDurableWrites(dataSource: PlatformDataSource): Promise<void> {
  if (dataSource.options.type !== 'mysql') return;
  const id = `probe-${randomUUID()}`;
  if (!(await writeAndLeave(dataSource, id))) return;
  const rows = await readBack(dataSource, id);
  await dataSource.ask('DELETE FROM idempotency_record WHERE id = ?', [id]);
  if (rows.length === 0) throw new SessionError(['what was written by one session is not there for the next']);
  if (rows[0]?.answer !== TEXT) throw new SessionError(['text that is stored comes back changed']);
}

/** Retries, because behind a load balancer the second session may be on a node that gets the row a moment later. */
async function readBack(dataSource: PlatformDataSource, id: string): Promise<{ answer: string | null }[]> {
  for (let left = TRIES; ; left -= 1) {
    const rows = await dataSource.ask<{ answer: string | null }[]>(SELECT, [id]);
    if (rows.length > 0 || left === 1) return rows;
    await sleep(TRY_AFTER_MS);
  }
}

/** Writes the row in a session that then ends, so uncommitted data is lost. False if the server refuses writes now. */
async function writeAndLeave(dataSource: PlatformDataSource, id: string): Promise<boolean> {
  return dataSource.askAlone(async (ask) => {
    try {
      await ask(INSERT, [id, '', TEXT]);
      return true;
    } catch {
      return false;
    }
  });
}
