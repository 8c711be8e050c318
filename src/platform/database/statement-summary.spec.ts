import { expect, it } from '@jest/globals';
import { isRead, summaryOf } from './statement-summary.js';

it.each([
  ['SELECT id FROM pet', 'SELECT'],
  ['\n  SELECT id\n  FROM pet', 'SELECT'],
  ['( (SELECT id FROM pet) UNION (SELECT id FROM pet))', 'SELECT'],
  ['/* list */ -- of all\n# pets\nselect id FROM pet', 'SELECT'],
  ['/**/ /* * */UPDATE pet SET name = ?', 'UPDATE'],
  ['/* SELECT */ INSERT INTO pet VALUES (?)', 'INSERT'],
  // The server runs what is in such a comment.
  ['/*! DELETE FROM pet; */ SELECT 1 FROM pet', ''],
  ['/*M! DELETE FROM pet; */ SELECT 1 FROM pet', ''],
])('%j: %s', (sql, operation) => {
  expect(summaryOf(sql)).toEqual({ operation, collection: 'pet' });
  expect(isRead(sql)).toBe(operation === 'SELECT');
});

it('takes no time over comments', () => {
  const comments = '/* */ '.repeat(5000);
  expect(summaryOf(comments).operation).toBe('');
  expect(summaryOf(`${comments}SELECT 1`).operation).toBe('SELECT');
});
