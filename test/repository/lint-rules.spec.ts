import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from '@jest/globals';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));

const lines = (count: number, text: string): string => `${text}\n`.repeat(count);
const decisions = (count: number): string => lines(count, "  if (n === 1) return 'x';");

/** Code that a rule must refuse, linted as a part of the given file. */
const refused: readonly [rule: string, file: string, code: string][] = [
  ['max-lines', 'src/platform/time.ts', lines(201, 'export {};')],
  ['max-lines-per-function', 'src/platform/time.ts', `export function f(): void {\n${lines(40, '  f();')}}`],
  ['complexity', 'src/platform/time.ts', `export function f(n: number): string {\n${decisions(12)}  return 'y';\n}`],
  ['max-depth', 'src/platform/time.ts', 'for (const a of "a") if (a) for (const b of a) if (b) throw new Error(b);'],
  [
    '@typescript-eslint/max-params',
    'src/platform/time.ts',
    'export class C { constructor(a: string, b: string, c: string, d: string, e: string) { void [a, b, c, d, e]; } }',
  ],
  ['@typescript-eslint/no-floating-promises', 'src/platform/time.ts', 'Promise.resolve();'],
  ['@typescript-eslint/no-floating-promises', 'test/support/http.ts', 'Promise.resolve();'],
  [
    '@typescript-eslint/no-misused-promises',
    'src/platform/time.ts',
    '[1].forEach(async () => { await Promise.resolve(); });',
  ],
  ['@typescript-eslint/no-explicit-any', 'src/platform/time.ts', 'export const x: any = 1;'],
  ['@typescript-eslint/no-unsafe-return', 'src/platform/time.ts', 'export const f = (): string => JSON.parse("1");'],
  ['@typescript-eslint/only-throw-error', 'src/platform/time.ts', 'throw "a string";'],
  ['no-console', 'src/platform/time.ts', 'console.log(1);'],
  ...['[undefined]', '[] as unknown[]', '[[1, undefined]]', 'Promise.resolve(["a"] as (string | undefined)[])'].map(
    (list): [string, string, string] => [
      'jest/strict-equal',
      'src/platform/http/turn-queue.spec.ts',
      `import { expect } from '@jest/globals';\nvoid expect(${list}).toEqual([]);`,
    ],
  ),
  [
    'no-restricted-imports',
    'src/pets/pets.service.ts',
    "import { HttpException } from '@nestjs/common'; throw new HttpException('', 404);",
  ],
];

const accepted: readonly [why: string, file: string, code: string][] = [
  ['blank lines and comments are no code', 'src/platform/time.ts', `${lines(300, '\n// why')}export {};`],
  [
    'what cannot be undefined is equal',
    'src/platform/http/turn-queue.spec.ts',
    "import { expect } from '@jest/globals';\nexpect([1]).toEqual([1]);",
  ],
  ['a command talks to its terminal', 'src/bin.ts', 'console.log(1);'],
  [
    'a service is injectable',
    'src/pets/pets.service.ts',
    "import { Injectable } from '@nestjs/common';\n@Injectable()\nexport class PetsService {}",
  ],
];

describe('the linter', () => {
  let rulesHit: string[][];

  beforeAll(async () => {
    const snippets = [...refused, ...accepted].map(([, file, code]) => ({ file, code }));
    const linter = new URL('./lint-snippets.mjs', import.meta.url);
    const { stdout } = await run(process.execPath, [fileURLToPath(linter), JSON.stringify(snippets)], { cwd: project });
    rulesHit = JSON.parse(stdout) as string[][];
  }, 300_000);

  it.each(refused.map(([rule, file], index) => ({ rule, file, index })))('holds $rule in $file', ({ rule, index }) => {
    expect(rulesHit[index]).toContain(rule);
  });

  it.each(accepted.map(([why, file], index) => ({ why, file, index })))('agrees that $why', ({ index }) => {
    expect(rulesHit[refused.length + index]).toEqual([]);
  });
});
