import type { ServerResponse } from 'node:http';
import { jsonBytes, type Bytes } from '../json/index.js';
import { JSON_MEDIA } from '../routing/index.js';
import { Answer } from './answer.js';
import type { Exchange } from './exchange.js';

/**
 * The answer of a handler whose `Content-Type`, or else what its operation produces, is not JSON: its text or its bytes as
 * they are.
 *
 * @returns undefined where the result goes out as JSON.
 */
export function otherMediaAnswer(
  { route }: Exchange,
  response: ServerResponse,
  result: unknown,
  status: number,
): Answer | undefined {
  const given = response.getHeader('Content-Type');
  const type = typeof given === 'string' ? given : route?.produces[0];
  if (type === undefined || type.startsWith(JSON_MEDIA)) return undefined;
  if (typeof result === 'string') return new Answer(status, bytesOf(Buffer.from(result)), {}, withCharset(type));
  if (result instanceof Uint8Array) return new Answer(status, bytesOf(Buffer.from(result)), {}, type);
  if (given === undefined || typeof result !== 'object' || result === null) return undefined;
  return new Answer(status, jsonBytes(result), {}, withCharset(type));
}

const bytesOf = (buffer: Buffer): Bytes => buffer.toString('latin1') as Bytes;

/** As Express says it of every text. */
function withCharset(type: string): string {
  return !/;\s*charset=/i.test(type) ? `${type}; charset=utf-8` : type;
}
