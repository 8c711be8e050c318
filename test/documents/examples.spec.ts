import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { programEnvironment, projectFolder } from '../support/command.js';
import { createSqliteDatabase, type TestDatabase } from '../support/database.js';
import { readDocuments, type Fence } from '../support/markdown.js';
import { findProgram } from '../support/programs.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { Service } from '../support/service.js';

/*
 * Runs every fenced block whose language is followed by `run`: the blocks of one document in order, in one shell, against
 * one service. A `text` block directly after it shows the output. There `…` stands for what differs from run to run: any
 * characters within a line, or any lines if it is alone on a line.
 */
const documents = readDocuments()
  .map(({ path, fences }) => ({ path, examples: fences.filter(({ words }) => words.includes('run')) }))
  .filter(({ examples }) => examples.length > 0);

/** Where the documents have the service listen, in the order of `addresses`. */
const WRITTEN = ['localhost:3000', 'localhost:9090'];

it('finds the examples of README.md and docs/api.md', () => {
  expect(documents.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/api.md']));
});

describe.each(documents)('the examples of $path', ({ examples }) => {
  const folder = scratchFolder('examples');
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await createSqliteDatabase();
    service = await Service.start({ database });
    runAll(examples, folder, service, database);
  });

  afterAll(async () => {
    await service.stop();
    await database.drop();
    removeScratch(folder);
  });

  (findProgram('curl') === undefined ? it.skip : it).each(numbered(examples))('$title', ({ text, output, at }) => {
    const printed = readFileSync(join(folder, `${at}.out`), 'utf8').replaceAll('\r', '');
    const asWritten = addresses(service).reduce((seen, real, n) => seen.replaceAll(real, WRITTEN[n]!), printed);
    expect(`exit ${readFileSync(join(folder, `${at}.code`), 'utf8').trim()}\n${asWritten}`).toMatch(/^exit 0\n/);
    if (output !== undefined) expect(`${asWritten.trimEnd()}\n`).toMatch(patternOf(output));
    else expect(text).not.toContain('curl');
  });
});

function numbered(examples: readonly Fence[]): (Fence & { readonly at: number; readonly title: string })[] {
  return examples.map((example, at) => ({ ...example, at, title: `${at + 1}: ${example.text.split('\n', 1)[0]!}` }));
}

function addresses({ url, managementUrl }: Service): string[] {
  return [url, managementUrl].map((address) => `localhost:${new URL(address).port}`);
}

/** Runs every example in one shell, so that a variable of one is there in the next. */
function runAll(examples: readonly Fence[], folder: string, service: Service, database: TestDatabase): void {
  symlinkSync(join(projectFolder, 'dist'), join(folder, 'dist'));
  mkdirSync(join(folder, 'home'));
  // curl shows its progress here, since this is no terminal.
  writeFileSync(join(folder, 'home/.curlrc'), 'silent\nshow-error\n');
  const steps = examples.map((example, at) => {
    const real = addresses(service).reduce((text, to, n) => text.replaceAll(WRITTEN[n]!, to), example.text);
    return `{\n${asShell(real, example.language, join(folder, `${at}.mjs`))}\n} >${at}.out 2>&1; echo $? >${at}.code`;
  });
  spawnSync('sh', ['-ac', steps.join('\n')], {
    cwd: folder,
    stdio: 'ignore',
    timeout: 60_000,
    env: {
      ...programEnvironment(database.url),
      HOME: join(folder, 'home'),
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    },
  });
}

function asShell(text: string, language: string, file: string): string {
  if (language === 'sh') return text;
  if (language !== 'js') throw new Error(`Nothing runs ${language}`);
  writeFileSync(file, text);
  return `node ${file}`;
}

function patternOf(output: string): RegExp {
  const lines = output.split('\n').map((line) => {
    if (line.trim() === '…') return '(?:.*\\n)*?';
    return `${line.split('…').map(literally).join('.*')}\\n`;
  });
  return new RegExp(`^${lines.join('')}$`);
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
