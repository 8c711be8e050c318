import { expect, it } from '@jest/globals';
import { parameterised } from './server-span.js';

it.each([
  ['SELECT id FROM pet WHERE id > ? LIMIT ?', 'SELECT id FROM pet WHERE id > ? LIMIT ?'],
  ["UPDATE pet SET name = 'O''Hara' WHERE id = 12", 'UPDATE pet SET name = ? WHERE id = ?'],
  ["SELECT 'it\\'s a secret', x'00ff', 1.5e3, -7", 'SELECT ?, ?, ?, -?'],
  ["SELECT 'two\nlines' FROM pet_2 AS p1", 'SELECT ? FROM pet_2 AS p1'],
  ['INSERT INTO `order2` (a1) VALUES (?, 0)', 'INSERT INTO `order2` (a1) VALUES (?, ?)'],
])('%j leaves no value in the text', (sql, text) => {
  for (const system of ['mysql', 'sqlite', 'mysql']) expect(parameterised(sql, system)).toBe(text);
});

it('leaves no value in double quotes either, which are those of a name on SQLite', () => {
  const sql = 'SELECT "n" FROM pet WHERE n = "it\'s ""a"" \\" secret" AND m = \'"\' AND o = "x"';
  expect(parameterised(sql, 'mysql')).toBe('SELECT ? FROM pet WHERE n = ? AND m = ? AND o = ?');
  expect(parameterised('SELECT "n" FROM "pet" WHERE "n" = 1', 'sqlite')).toBe('SELECT "n" FROM "pet" WHERE "n" = ?');
});
