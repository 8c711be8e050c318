import { expect, it } from '@jest/globals';
import { parameterised } from './server-span.js';

it.each([
  ['SELECT id FROM pet WHERE id > ? LIMIT ?', 'SELECT id FROM pet WHERE id > ? LIMIT ?'],
  ["UPDATE pet SET name = 'O''Hara' WHERE id = 12", 'UPDATE pet SET name = ? WHERE id = ?'],
  ["SELECT 'it\\'s a secret', x'00ff', 1.5e3, -7", 'SELECT ?, ?, ?, -?'],
  ["SELECT 'two\nlines' FROM pet_2 AS p1", 'SELECT ? FROM pet_2 AS p1'],
  ['INSERT INTO `order2` (a1) VALUES (?, 0)', 'INSERT INTO `order2` (a1) VALUES (?, ?)'],
])('%j leaves no value in the text', (sql, text) => {
  expect(parameterised(sql)).toBe(text);
  expect(parameterised(sql)).toBe(text);
});
