import { describe, expect, it } from '@jest/globals';
import { faultOfClient, faultOfScopes, isScope, printable } from './key-terms.js';

describe("a client's name", () => {
  it.each(['a', 'first-key', 'Zoë & 友達 (staging)', '🐶'.repeat(100)])('may be %s', (client) => {
    expect(faultOfClient(client)).toBeUndefined();
  });

  it.each([
    ['empty', ''],
    ['101 characters', 'x'.repeat(101)],
    ['a space at an end', 'a '],
    ['spaces only', ' '],
    ['a line break', 'a\nb'],
    ['an escape', 'a\u001b[2Jb'],
    ['a right-to-left override', 'a\u202eb'],
    ['a zero-width space', 'a\u200bb'],
    ['a lone surrogate', 'a\ud800'],
  ])('may not be %s', (_name, client) => {
    expect(faultOfClient(client)).toBeDefined();
  });
});

describe('scopes', () => {
  it.each([[['*']], [['pets:read']], [['pets:read', 'store-orders2:write']]])('may be %j', (scopes) => {
    expect(faultOfScopes(scopes)).toBeUndefined();
  });

  it.each([
    [[], 'at least one'],
    [['pets'], "'pets'"],
    [['Pets:read'], "'Pets:read'"],
    [['pets:read:all'], "'pets:read:all'"],
    [['pets:read\u001b[2J'], "'pets:read?[2J'"],
    [['*', 'pets:read'], 'stands alone'],
    [['pets:read', 'pets:read'], 'twice'],
    [Array.from({ length: 100 }, (_, i) => `feature-number-${i}:read`), 'longer than 1000'],
  ])('may not be %j', (scopes, fault) => {
    expect(faultOfScopes(scopes)).toContain(fault);
  });

  it('are not * alone by the word of isScope, which features are asked by', () => {
    expect(isScope('*')).toBe(false);
    expect(isScope('pets:read')).toBe(true);
  });
});

describe('printable', () => {
  it('is short and moves no cursor', () => {
    expect(printable(`\u001b[2J\r${'x'.repeat(100)}`)).toBe(`?[2J?${'x'.repeat(55)}`);
  });
});
