import type { Request } from 'express';
import { problem } from './problem.js';

export function decodeCursor(cursor: string | undefined): bigint {
  if (cursor === undefined) return 0n;
  const text = Buffer.from(cursor, 'base64url').toString();
  if (!/^[1-9][0-9]{0,18}$/.test(text)) throw problem(400, 'invalid_cursor', 'This cursor is none of this list.');
  return BigInt(text);
}

export function nextLink(request: Request, lastId: bigint): string {
  const query = new URLSearchParams(request.query as Record<string, string>);
  query.set('cursor', Buffer.from(String(lastId)).toString('base64url'));
  const base = process.env['PUBLIC_BASE_URL'] ?? `http://${request.get('host') ?? 'localhost'}/v1`;
  return `<${base}/store/orders?${query.toString()}>; rel="next"`;
}
