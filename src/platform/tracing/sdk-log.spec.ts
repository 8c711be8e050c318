import { expect, it } from '@jest/globals';
import type { Log } from '../logging/index.js';
import { SdkLog } from './sdk-log.js';

function logged(...messages: readonly string[]): string[] {
  const lines: string[] = [];
  const log = new SdkLog({ warn: (_fields: object, text: string) => lines.push(text) } as unknown as Log);
  for (const message of messages) log.error(message);
  return lines;
}

it('tells an error by what it is, without all that hangs on it', () => {
  const error = { name: 'OTLPExporterError', message: 'Unauthorized', data: 'secret', stack: 'secret' };
  expect(logged(JSON.stringify(error), '{"code":"ECONNREFUSED","name":"AggregateError"}', '{"')).toEqual([
    'OTLPExporterError: Unauthorized',
    'AggregateError: ECONNREFUSED',
    'An unreadable error',
  ]);
});

it('tells nothing that the SDK quotes of its variables', () => {
  const secrets = logged(
    'Header "authorization" has invalid value (se"c)ret) and will be ignored',
    "Could not parse environment-provided export URL: 'http://me:secret@[', falling back",
    'cannot reach http://me:secret@collector:4318/v1/traces',
  );
  expect(secrets.join()).not.toMatch(/secret|c\)ret/);
  expect(secrets).toHaveLength(3);
});

it('tells the same once a minute, whatever it counts', () => {
  expect(logged('Dropped 12 spans', 'Dropped 7 spans', 'Dropped 9 links')).toEqual([
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
