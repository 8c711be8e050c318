import { symbols } from 'pino';
import { isOptimized } from '../optimizations.js';
import type { Log } from './log.js';

/** The parts of a pino logger that make its lines. */
interface Inside {
  readonly [symbols.streamSym]: { write(line: string): void };
  readonly [symbols.chindingsSym]: string;
  readonly [symbols.timeSym]: () => string;
}

/**
 * Writes a line of level `info` whose fields are JSON text already, as the access log has one for each request. pino looks
 * at every name and every character of every value, asks its serializers and its redaction, and the finished line is
 * searched for secrets.
 *
 * @param fields each with a comma before it; without a secret, since nothing is taken out.
 */
export function writeInfo(log: Log, fields: string, message: string): void {
  if (!log.isLevelEnabled('info')) return;
  if (!isOptimized('log-lines')) return log.info(JSON.parse(`{${fields.slice(1)}}`) as object, message);
  const inside = log as unknown as Inside;
  const head = `{"level":"info"${inside[symbols.timeSym]()}${inside[symbols.chindingsSym]}`;
  inside[symbols.streamSym].write(`${head}${fields},"msg":"${message}"}\n`);
}
