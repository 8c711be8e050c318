import { afterEach, expect, it, jest } from '@jest/globals';
import { OutageTime } from './log.js';

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

it('keeps when the outage began, also where the clock is set meanwhile, and measures without that clock', () => {
  jest.useFakeTimers({ now: Date.parse('2026-01-01T00:01:40Z') });
  const now = jest.spyOn(performance, 'now').mockReturnValue(100_000);
  const outage = new OutageTime(90_500);
  expect(outage).toMatchObject({ since: '2026-01-01T00:01:30.500Z', seconds: 9.5 });
  jest.setSystemTime(Date.parse('2025-12-31T00:00:00Z'));
  now.mockReturnValue(120_000.4);
  expect(outage).toMatchObject({ since: '2026-01-01T00:01:30.500Z', seconds: 29.5 });
});

it('begins now where nothing else is given', () => {
  jest.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') });
  jest.spyOn(performance, 'now').mockReturnValue(5000);
  expect(new OutageTime()).toMatchObject({ since: '2026-01-01T00:00:00.000Z', seconds: 0 });
});
