import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import express from 'express';
import { DataSource, InsertQueryBuilder, SelectQueryBuilder } from 'typeorm';

/** Patterns of imports and accesses that no library supports. */
const PRIVATE = [
  /from '@nestjs\/(?:common|core)\/(?!$)/,
  /from 'typeorm\/|\b(?:buildMetadatas|getValueSets|create(?:Lock|Insert|Returning)Expression)\b/,
  /\bthis\.connection as unknown\b/,
  /require\('[^']+\/cjs\//,
  /'swagger\/api\w+'/,
  /\b_(?:host|hasBody|contentLength|last|parse|dumpAndCloseReadable|OPENAPI_METADATA_FACTORY)\b/,
  /\.destroySoon = /,
  /\bNetServer\.prototype\b/,
  /\brouter\.stack\b|\bkOnExecute\b|\bhttpAllowHalfOpen\b|\bsymbols\.\w+Sym\b/,
];

const rows = [
  ...readFileSync('docs/upgrading.md', 'utf8').matchAll(/^\| `(src\/[^`]+)` \| (.+?) \| .+ \| `([^`]+)` \|$/gm),
].map(([, file = '', uses = '', spec = '']) => ({
  file,
  names: [...uses.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
  spec,
}));
const text = (file: string): string => readFileSync(file, 'utf8');

describe('docs/upgrading.md', () => {
  it('has every file that uses a private part of a library, and no other', () => {
    const sources = globSync('src/**/*.ts').filter((file) => !file.endsWith('.spec.ts'));
    const users = sources.filter((file) => PRIVATE.some((look) => look.test(text(file))));
    expect(users.filter((file) => !rows.some((row) => row.file === file))).toEqual([]);
    expect(rows.filter(({ file, spec }) => !existsSync(file) || !existsSync(spec))).toEqual([]);
  });

  it.each(rows)('says what $file uses', ({ file, names }) => {
    const source = text(file);
    expect(
      names.filter((name) => !source.includes(name.split('.').at(-1) as string) && !source.includes(name)),
    ).toEqual([]);
  });

  it('counts them by npm run weight', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/weight.mjs']);
    expect(stdout).toMatch(new RegExp(`^private parts used +${rows.length}$`, 'm'));
  });
});

describe('a private part of a library', () => {
  const require = createRequire(import.meta.url);
  const { defaultMetadataStorage } = require('class-transformer/cjs/storage.js') as Record<string, unknown>;
  const response = new ServerResponse(new IncomingMessage(new Socket()));

  it.each([
    ['Node: httpAllowHalfOpen of a server', 'httpAllowHalfOpen' in createServer()],
    ['Node: _hasBody of a response', '_hasBody' in response],
    ['Node: _contentLength of a response', '_contentLength' in response],
    ['Node: _last of a response', '_last' in response],
    ['Express: the stack of its router', Array.isArray(express().router.stack)],
    ['class-transformer: its metadata', defaultMetadataStorage !== undefined],
    ['TypeORM: what its data source reads entities by', 'buildMetadatas' in DataSource.prototype],
    ['TypeORM: what its query builder locks rows by', 'createLockExpression' in SelectQueryBuilder.prototype],
    ['TypeORM: what its query builder inserts by', 'createInsertExpression' in InsertQueryBuilder.prototype],
    ['TypeORM: the rows of an insert', 'getValueSets' in InsertQueryBuilder.prototype],
    ['TypeORM: what an insert returns', 'createReturningExpression' in InsertQueryBuilder.prototype],
  ])('%s: is there as it was', (_name, isThere) => {
    expect(isThere).toBe(true);
  });
});
