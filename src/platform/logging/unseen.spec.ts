import { expect, it } from '@jest/globals';
import { escapeUnseen } from './redaction.js';

it('writes what a terminal would act on or not show as escapes, and leaves the rest', () => {
  expect(escapeUnseen('Zoë 犬 🐕\n "x\\"')).toBe('Zoë 犬 🐕\n "x\\"');
  expect(escapeUnseen('\x1b[2J\x7f\x9b\t')).toBe('\\u001b[2J\\u007f\\u009b\\u0009');
  expect(escapeUnseen('\u3164\u2800\u115f\uffa0\u200d\u2028\u202e')).toBe(
    '\\u3164\\u2800\\u115f\\uffa0\\u200d\\u2028\\u202e',
  );
  expect(JSON.parse(`"${escapeUnseen('\u{e0041}\u{1d173}')}"`)).toBe('\u{e0041}\u{1d173}');
});
