import { expect, it } from '@jest/globals';
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { Log } from '../logging/index.js';
import { ReportingExporter, SdkLog } from './tracing-log.js';

function complaints(...messages: readonly string[]): string[] {
  const lines: string[] = [];
  const log = new SdkLog({ warn: (_fields: object, text: string) => lines.push(text) } as unknown as Log);
  for (const message of messages) log.error(message);
  return lines;
}

it('tells an error by what it is, without all that hangs on it', () => {
  const error = { name: 'OTLPExporterError', message: 'Unauthorized', data: 'secret', stack: 'secret' };
  expect(complaints(JSON.stringify(error), '{"code":"ECONNREFUSED","name":"AggregateError"}', '{"')).toEqual([
    'OTLPExporterError: Unauthorized',
    'AggregateError: ECONNREFUSED',
    'An unreadable error',
  ]);
});

it('tells nothing that the SDK quotes of its variables', () => {
  const secrets = complaints(
    'Header "authorization" has invalid value (se"c)ret) and will be ignored',
    "Could not parse environment-provided export URL: 'http://me:secret@[', falling back",
    'cannot reach http://me:secret@collector:4318/v1/traces',
  );
  expect(secrets.join()).not.toMatch(/secret|c\)ret/);
  expect(secrets).toHaveLength(3);
});

it('tells the same once a minute, whatever it counts', () => {
  expect(complaints('Dropped 12 spans', 'Dropped 7 spans', 'Dropped 9 links')).toEqual([
    'Dropped 12 spans',
    'Dropped 9 links',
  ]);
});

it('tells what a component says, not what the component is called', () => {
  const lines: string[] = [];
  const log = { warn: (_fields: object, text: string) => lines.push(text) } as unknown as Log;
  new SdkLog(log).error(
    'OTLPExportDelegate',
    'Export succeeded but could not deserialize response',
    new Error('secret'),
  );
  expect(lines).toEqual(['Export succeeded but could not deserialize response']);
});

const OK: ExportResult = { code: ExportResultCode.SUCCESS };
const failed = (message: string, code?: string | number): ExportResult => ({
  code: ExportResultCode.FAILED,
  error: Object.assign(new Error(message), code === undefined ? {} : { code }),
});

/** The lines that are logged while exports of two spans each end with these results. */
function logged(...results: readonly ExportResult[]): object[] {
  const lines: object[] = [];
  const write = ({ err, ...fields }: { err?: Error }): number =>
    lines.push({ ...fields, ...(err && { err: err.message }) });
  const log = { warn: write, info: write } as unknown as Log;
  const waiting = [...results];
  const inner = {
    export: (_spans: ReadableSpan[], done: (result: ExportResult) => void) => done(waiting.shift() ?? OK),
    shutdown: () => Promise.resolve(),
  };
  const exporter = new ReportingExporter(inner, log, 'collector:4318');
  const told: ExportResult[] = [];
  while (waiting.length > 0) exporter.export([{}, {}] as ReadableSpan[], (result) => told.push(result));
  // The exporter reports success, because its caller would log each failure again.
  expect(told).toStrictEqual(results.map(() => OK));
  return lines;
}

const SINCE = expect.stringMatching(/^20\d\d-.*Z$/);

it('tells an outage of the collector once for each cause, and its end with the spans that were lost', () => {
  const host = 'collector:4318';
  const refused = failed('', 'ECONNREFUSED');
  expect(logged(OK, refused, refused, failed('Unauthorized', 401), refused, OK, OK)).toEqual([
    { event: 'tracing.unavailable', host, since: SINCE, cause: 'ECONNREFUSED' },
    { event: 'tracing.unavailable', host, since: SINCE, cause: '401 Unauthorized' },
    { event: 'tracing.recovered', host, since: SINCE, seconds: expect.any(Number), lost_spans: 8 },
  ]);
});

it('tells a second outage as the first', () => {
  expect(logged(failed('Request timed out'), OK, failed('Request timed out'))).toMatchObject([
    { event: 'tracing.unavailable', cause: 'Request timed out' },
    { event: 'tracing.recovered', lost_spans: 2 },
    { event: 'tracing.unavailable', cause: 'Request timed out' },
  ]);
});

it('tells a cause where the SDK gives none', () => {
  expect(logged({ code: ExportResultCode.FAILED })).toMatchObject([{ cause: expect.stringContaining('retry') }]);
});
