import { describe, expect, it } from '@jest/globals';
import { bareKey } from './api-key.js';

describe('bareKey', () => {
  it.each(['as_live_x', ' as_live_x\n', 'Bearer as_live_x', 'bearer  as_live_x', '\tBEARER as_live_x '])(
    'finds the key in %j',
    (pasted) => {
      expect(bareKey(pasted)).toBe('as_live_x');
    },
  );

  it('leaves a key alone that only begins like the scheme', () => {
    expect(bareKey('bearer_x')).toBe('bearer_x');
  });
});
