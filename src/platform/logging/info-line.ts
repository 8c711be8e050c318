import { stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { isOptimized } from '../optimizations.js';

/** Where a log's lines go, and what each says behind its time, as JSON text. */
interface Output {
  readonly destination: DestinationStream;
  readonly base: string;
}

const outputs = new WeakMap<Logger, Output>();

/** From now on `writeInfo` writes the lines of this log to its destination, without pino. */
export function keepOutput(log: Logger, destination: DestinationStream, base: object): void {
  outputs.set(log, { destination, base: JSON.stringify(base).slice(1, -1) });
}

/**
 * Writes a line of level `info` whose fields are JSON text already, as the access log has one for each request. pino looks
 * at every name and every character of every value, asks its serializers and its redaction, and the finished line is
 * searched for secrets.
 *
 * @param fields each with a comma before it; without a secret, since nothing is taken out.
 */
export function writeInfo(log: Logger, fields: string, message: string): void {
  if (!log.isLevelEnabled('info')) return;
  const output = isOptimized('log-lines') ? outputs.get(log) : undefined;
  if (output === undefined) return log.info(JSON.parse(`{${fields.slice(1)}}`) as object, message);
  const head = `{"level":"info"${stdTimeFunctions.isoTime()},${output.base}`;
  output.destination.write(`${head}${fields},"msg":"${message}"}\n`);
}
