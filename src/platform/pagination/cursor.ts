import { parseId } from '../int64/index.js';

const VERSION = '1';

/**
 * Where a walk stands, opaque to clients: base64url of version, last id and the filters it was made under. It grants
 * nothing, so it is not signed (contract, "List").
 */
export function encodeCursor(lastId: bigint, filters: string): string {
  return Buffer.from(`${VERSION}:${lastId}:${filters}`).toString('base64url');
}

/** The last id of a cursor made by `encodeCursor` under the same filters; undefined for anything else. */
export function decodeCursor(cursor: string, filters: string): bigint | undefined {
  const [version, id] = Buffer.from(cursor, 'base64url').toString('utf8').split(':', 2);
  const lastId = version === VERSION && id !== undefined ? parseId(id) : undefined;
  // Decoding base64url forgives much; only the very text that we give out is a cursor.
  return lastId !== undefined && encodeCursor(lastId, filters) === cursor ? lastId : undefined;
}
