import { expect, it } from '@jest/globals';
import { redactQuery } from './server-span.js';

it.each([
  ['status=available&limit=2', 'status=REDACTED&limit=REDACTED'],
  ['a=b=c&a=&=a', 'a=REDACTED&a=REDACTED&REDACTED'],
  ['as_live_Ab3dE6gH_secret=1', 'REDACTED'],
  ['token&%61=1&two words=1&<x>=1', 'REDACTED&REDACTED&REDACTED&REDACTED'],
  [`${'a'.repeat(33)}=1`, 'REDACTED'],
  [Array.from({ length: 100 }, () => 'a=1').join('&'), Array.from({ length: 16 }, () => 'a=REDACTED').join('&')],
])('%s keeps the names alone', (query, redacted) => {
  expect(redactQuery(query)).toBe(redacted);
});
