import { expect, it } from '@jest/globals';
import { parameterised, redactQuery } from './spans.js';

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
