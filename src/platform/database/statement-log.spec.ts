import { expect, it, jest } from '@jest/globals';
import type { QueryRunner } from 'typeorm';
import { StatementLog } from './statement-log.js';

const refusal = (code: string, words = 'near SELEKT') => Object.assign(new Error(words), { code });
const ofMigration = { state: { timeoutMs: Infinity } } as unknown as QueryRunner;

/** The log lines of one refused statement. */
function linesOf(isDevelopment: boolean, error: Error, statement: string, runner?: QueryRunner) {
  const log = { warn: jest.fn(), debug: jest.fn() };
  new StatementLog(log, isDevelopment).logQueryError(error, statement, [], runner);
  return [
    ...log.warn.mock.calls.map((call) => ['warn', ...call]),
    ...log.debug.mock.calls.map((call) => ['debug', ...call]),
  ];
}

it('logs the words of the engine, the statement and who sent it, in development', () => {
  expect(linesOf(true, refusal('ER_PARSE_ERROR'), 'SELEKT 1')).toStrictEqual([
    [
      'warn',
      {
        event: 'db.statement_refused',
        code: 'ER_PARSE_ERROR',
        statement: 'SELEKT 1',
        sent_by: expect.stringContaining('statement-log.spec.ts'),
      },
      'The database refused a statement: near SELEKT',
    ],
  ]);
});

it('logs nothing elsewhere but of a migration, since the words may hold the values of a client', () => {
  expect(linesOf(false, refusal('ER_PARSE_ERROR'), "SELEKT 'Rex'")).toHaveLength(0);
  expect(linesOf(false, refusal('ER_PARSE_ERROR'), 'SELEKT 1', ofMigration)).toHaveLength(1);
});

it('logs what a feature may expect at debug, and neither an outage nor the look for migrations in an empty database', () => {
  expect(linesOf(true, refusal('ER_DUP_ENTRY'), 'INSERT').map(([level]) => level)).toStrictEqual(['debug']);
  expect(linesOf(true, refusal('ECONNREFUSED'), 'SELECT 1')).toHaveLength(0);
  const missing = refusal('ER_NO_SUCH_TABLE');
  expect(linesOf(true, missing, 'SELECT name FROM migration ORDER BY id')).toHaveLength(0);
  expect(linesOf(true, missing, 'SELECT name FROM pets ORDER BY id')).toHaveLength(1);
});
