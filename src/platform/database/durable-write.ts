import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PlatformDataSource } from './data-source.js';
import { SessionError } from './mysql-session.js';

/** What a server that takes less than utf8mb4 changes, silently or not: two, three and four bytes in UTF-8. */
const TEXT = 'é€🐶';

/** The columns of a record that never answers anything and that the purge takes away, should it be left. */
const INSERT = 'INSERT INTO idempotency_record (id, fingerprint, answer, expires_at) VALUES (?, ?, ?, 0)';

const SELECT = 'SELECT answer FROM idempotency_record WHERE id = ?';
const TRIES = 10;
const TRY_AFTER_MS = 100;

/**
 * Writes a row by one session, ends it, and reads the row by another: proof that an answered write is durable and its text
 * exact, on this server and with whatever stands before it. The row is one of `idempotency_record`, the only table that the
 * service may also delete from. A server that refuses the write, as one that is read-only does, proves nothing and is no
 * violation: it answers for itself each time.
 *
 * @throws {SessionError} (rejects) where the server said yes and it was not so. Else what the driver says of the second
 *   session.
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

/** Behind a balancer the other session may be on a node that has it a moment later. */
async function readBack(dataSource: PlatformDataSource, id: string): Promise<{ answer: string | null }[]> {
  for (let left = TRIES; ; left -= 1) {
    const rows = await dataSource.ask<{ answer: string | null }[]>(SELECT, [id]);
    if (rows.length > 0 || left === 1) return rows;
    await sleep(TRY_AFTER_MS);
  }
}

/** By a session that ends: what it has not committed is gone then. False where the server takes no writes now. */
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
