import { beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { pino } from 'pino';
import { NestLog } from './nest-log.js';
import { cleanLine, redactedPaths, serializers } from './redaction.js';

let lines: Record<string, unknown>[] = [];

beforeEach(() => {
  lines = [];
  const stream = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
  const options = {
    base: null,
    timestamp: false,
    level: 'trace',
    formatters: { level: (label: string) => ({ level: label }) },
    serializers,
    redact: { paths: redactedPaths, censor: '[redacted]' },
    hooks: { streamWrite: cleanLine },
  };
  Logger.overrideLogger(new NestLog(pino(options, stream)));
});

const log = new Logger('CatsService');

describe('the Logger of @nestjs/common', () => {
  it('writes what it is told, at its level', () => {
    log.log('hi');
    log.warn('careful');
    log.debug('detail');
    log.verbose('more');
    new Logger().log('nobody');
    Logger.log('static', 'Cron');
    expect(lines).toEqual([
      { level: 'info', context: 'CatsService', msg: 'hi' },
      { level: 'warn', context: 'CatsService', msg: 'careful' },
      { level: 'debug', context: 'CatsService', msg: 'detail' },
      { level: 'trace', context: 'CatsService', msg: 'more' },
      { level: 'info', msg: 'nobody' },
      { level: 'info', context: 'Cron', msg: 'static' },
    ]);
  });

  it('keeps to debugging what Nest says of itself at a start', () => {
    new Logger('RouterExplorer').log('Mapped {/cats, GET} route');
    expect(lines).toEqual([{ level: 'debug', context: 'RouterExplorer', msg: 'Mapped {/cats, GET} route' }]);
  });

  it('makes the fields of an object fields of the line, without secrets, and never one of its own', () => {
    log.log({ event: 'cat.fed', grams: 7, password: 'x', time: 'noon' });
    log.log('fed', { cat: { id: 7 } }, ['a', 'b']);
    log.log('count %d', 3);
    new Logger().log('plain', { deep: { id: 1n } });
    expect(lines).toEqual([
      { level: 'info', context: 'CatsService', event: 'cat.fed', grams: 7, password: '[redacted]', time_: 'noon' },
      { level: 'info', context: 'CatsService', msg: 'fed', cat: { id: 7 }, values: ['a', 'b'] },
      { level: 'info', context: 'CatsService', msg: 'count %d 3' },
      { level: 'info', msg: 'plain', deep: { id: 1 } },
    ]);
  });

  it('keeps an error, wherever it is', () => {
    const err = new TypeError('no cat');
    log.error(err);
    log.error('failed', err);
    log.error('failed', err.stack);
    log.error({ err, cat: 7 });
    log.error('failed', { cause: err });
    const described = { type: 'TypeError', message: 'no cat', stack: err.stack };
    const frames = expect.stringMatching(/^ +at /) as unknown as string;
    expect(lines).toEqual([
      { level: 'error', context: 'CatsService', err: described, msg: 'no cat' },
      { level: 'error', context: 'CatsService', err: described, msg: 'failed' },
      { level: 'error', context: 'CatsService', stack: frames, msg: 'failed' },
      { level: 'error', context: 'CatsService', err: described, cat: 7, msg: 'no cat' },
      { level: 'error', context: 'CatsService', cause: described, msg: 'failed' },
    ]);
  });
});
