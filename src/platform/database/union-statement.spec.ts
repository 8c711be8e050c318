import { describe, expect, it } from '@jest/globals';
import { requireColumns, unionStatement } from './union-statement.js';

describe('unionStatement', () => {
  it('puts the number of its part before the columns of each', () => {
    expect(unionStatement('SELECT id FROM pet WHERE id > ? LIMIT ?', 2)).toBe(
      '(SELECT 0e0 AS union_part, id FROM pet WHERE id > ? LIMIT ?) UNION ALL ' +
        '(SELECT 1e0 AS union_part, id FROM pet WHERE id > ? LIMIT ?)',
    );
  });
});

describe('requireColumns', () => {
  it.each(['SELECT id FROM pet', 'SELECT all_of_it FROM pet', 'SELECT COUNT(*) AS pets FROM pet'])(
    'takes %s',
    (sql) => {
      expect(() => requireColumns(sql)).not.toThrow();
    },
  );

  it.each([
    'SELECT DISTINCT id FROM pet',
    'SELECT ALL id FROM pet',
    'SELECT * FROM pet',
    'WITH a AS (SELECT 1) SELECT 1',
  ])('refuses %s', (sql) => {
    expect(() => requireColumns(sql)).toThrow(TypeError);
  });
});
