import { beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { DatabaseOutages } from './database-outages.js';

let lines: Record<string, unknown>[];
let outages: DatabaseOutages;

const fault = (code: string): Error => Object.assign(new Error('failed'), { code });
const told = (): unknown[] => lines.map(({ event, part }) => `${String(event)} ${String(part)}`);

beforeEach(() => {
  lines = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  outages = new DatabaseOutages(pino({}, { write }));
});

describe('DatabaseOutages', () => {
  it('tells an outage once, however many fail, and once that it is over', () => {
    for (let n = 0; n < 100; n += 1) outages.failed('connect', fault('ECONNREFUSED'), performance.now());
    for (let n = 0; n < 100; n += 1) outages.worked('connect');
    expect(told()).toStrictEqual(['db.unavailable connect', 'db.recovered connect']);
  });

  it('tells each further cause once, however they alternate', () => {
    for (let n = 0; n < 10; n += 1) {
      outages.failed('connect', fault('ECONNREFUSED'), performance.now());
      outages.failed('connect', fault('ETIMEDOUT'), performance.now());
    }
    expect(told()).toStrictEqual(['db.unavailable connect', 'db.unavailable connect']);
  });

  it('takes what failed while another worked for its own misfortune', () => {
    const startedAt = performance.now() - 1;
    outages.worked('write');
    outages.failed('write', fault('DATABASE_TIMEOUT'), startedAt);
    expect(told()).toStrictEqual([]);
  });

  it('ends the outage of writes by a write, not by a read; that of connections by either', () => {
    outages.failed('connect', fault('ECONNREFUSED'), performance.now());
    outages.failed('write', fault('ER_RECORD_FILE_FULL'), performance.now());
    outages.worked('read');
    expect(told()).toStrictEqual(['db.unavailable connect', 'db.unavailable write', 'db.recovered connect']);
    outages.worked('write');
    expect(told().at(-1)).toBe('db.recovered write');
  });
});
