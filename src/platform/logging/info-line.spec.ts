import { Writable } from 'node:stream';
import { afterEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { turnOptimizationsOff } from '../optimizations.js';
import { keepOutput, writeInfo } from './info-line.js';
import { cleanLine, redactedPaths, serializers } from './redaction.js';

afterEach(() => turnOptimizationsOff([]));

const FIELDS = [
  ',"request_id":"a","feature":"pets","event":"http.request"',
  ',"http":{"method":"GET","route":"/v1/pets","status":200,"duration_ms":1.5,"bytes":12},"client_ip":"::1","key_id":"12345678"',
].join('');

/** What such a line says, but for its time. */
function written(level: string): unknown[] {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  const formatters = { level: (label: string) => ({ level: label }) };
  const redact = { paths: redactedPaths, censor: '[redacted]' };
  const hooks = { streamWrite: cleanLine };
  const base = { service: 'animal-store', pid: 1 };
  const log = pino({ level, base, formatters, serializers, redact, hooks, mixin: () => ({ request_id: 'a' }) }, stream);
  keepOutput(log, stream, base);
  writeInfo(log, FIELDS, 'request');
  return lines.map((line) => ({ ...(JSON.parse(line) as object), time: undefined }));
}

it.each(['info', 'warn'])('writes at level %s the line that pino does', (level) => {
  const own = written(level);
  turnOptimizationsOff(['log-lines']);
  expect(own).toStrictEqual(written(level));
  expect(own).toHaveLength(level === 'info' ? 1 : 0);
});
