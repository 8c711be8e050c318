import { hash } from 'node:crypto';
import { ApiError, coreErrors } from '../errors/index.js';

const KEY = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21-\x7e]{1,255}))$/;

/**
 * Reads an `Idempotency-Key` header: 1 to 255 visible ASCII characters, bare or in double quotes.
 *
 * @throws {ApiError} invalid_idempotency_key.
 */
export function parseIdempotencyKey(header: string | string[]): string {
  const [, quoted, bare] = KEY.exec(typeof header === 'string' ? header : '') ?? [];
  const key = quoted ?? bare;
  if (key === undefined || (quoted === undefined && key.startsWith('"'))) {
    throw new ApiError(coreErrors.invalidIdempotencyKey);
  }
  return key;
}

/** A key holds for one client and one operation. */
export function recordId(client: string, operationId: string, key: string): string {
  return hash('sha256', JSON.stringify([client, operationId, key]), 'base64url');
}

/** The same for bodies that parse to the same values, whatever their spelling and the order of their fields. */
export function fingerprintOf(body: unknown): string {
  return hash('sha256', canonical(body), 'base64url');
}

function canonical(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}
