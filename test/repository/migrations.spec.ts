import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';

/**
 * Statements that change a table while the previous release uses it, without a clause that excludes copying and
 * locking. MySQL allows INSTANT only alone.
 */
function blocking(source: string): string[] {
  const statements = [...source.matchAll(/(['"`])\s*((?:ALTER\s+TABLE|CREATE\s+(?:UNIQUE\s+)?INDEX)\b.*?)\1/gis)];
  return (
    statements
      .map(([, , statement = '']) => statement)
      .filter(
        (statement) =>
          !/\bALGORITHM\s*=\s*INSTANT\b|\bALGORITHM\s*=\s*INPLACE\s*,?\s*LOCK\s*=\s*NONE\b/i.test(statement),
      )
      // This form is SQLite's: MySQL's CREATE INDEX has no IF NOT EXISTS.
      .filter((statement) => !/^CREATE\s+(UNIQUE\s+)?INDEX\s+IF\s+NOT\s+EXISTS/i.test(statement))
  );
}

/** Statements that remove what the previous release still reads, or that it would wait for. */
function destructive(source: string): string[] {
  const up = source.slice(0, source.search(/\bdown\(/) >>> 0);
  return up.match(/\b(DROP\s+(TABLE|COLUMN)|RENAME|TRUNCATE|LOCK\s+TABLES|FOREIGN\s+KEY|CREATE\s+TRIGGER)\b/gi) ?? [];
}

const files = globSync('{src,examples}/**/migrations/*.ts', { cwd: projectFolder, exclude: ['**/node_modules/**'] });

describe.each(files)('%s', (path) => {
  const source = readFileSync(join(projectFolder, path), 'utf8');

  it('changes a table that exists without copying or locking it', () => {
    expect(blocking(source)).toEqual([]);
  });

  it('takes nothing from the release before', () => {
    expect(destructive(source)).toEqual([]);
  });
});

it('the migrations are found, and what they may not do', () => {
  expect(files.length).toBeGreaterThanOrEqual(3);
  expect(
    blocking(`
      await runner.query('ALTER TABLE pet ADD COLUMN color VARCHAR(20) NULL, ALGORITHM=INSTANT');
      await runner.query('CREATE INDEX a ON pet (color) ALGORITHM=INPLACE LOCK=NONE');
      await runner.query('CREATE INDEX IF NOT EXISTS a ON pet (color)');
      await runner.query(\`
        ALTER TABLE pet ADD COLUMN size INT NULL\`);
      await runner.query('ALTER TABLE pet ADD INDEX b (size), ALGORITHM=INPLACE');
      await runner.query('CREATE UNIQUE INDEX c ON pet (size)');`),
  ).toHaveLength(3);
  expect(destructive('up() { `ALTER TABLE pet DROP COLUMN name` } down() { `DROP TABLE pet` }')).toEqual([
    'DROP COLUMN',
  ]);
});
