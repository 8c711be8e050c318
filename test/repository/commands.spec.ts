import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectFolder } from '../support/command.js';
import { readDocument, readDocuments } from '../support/markdown.js';
import { oldNode } from '../support/old-node.js';
import { removeScratch, scratchFolder } from '../support/scratch.js';
import { writeSmallProject, writeIn } from '../support/small-project.js';

const { scripts } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};
/** Scripts run with the Node of the tests, as under `npm test`. */
const PATH = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
/** Without the scripts that npm runs automatically before or after others. */
const own = Object.keys(scripts).filter((name) => !/^(pre|post)(?=start|test|build)/.test(name));

function run(folder: string, command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const result = spawnSync(command, args, { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env } });
  return { status: result.status, stdout: result.stdout, stderr: result.stderr };
}

describe('the commands of npm run', () => {
  const rows = readDocument('CONTRIBUTING.md').tables.flatMap((table) => table.rows);
  /** The commands of a row, such as `run check -- mysql`, `start`, `test`. */
  const documented = rows.flatMap(([cell = '', meaning = '']) =>
    [...cell.matchAll(/`npm ((?:run )?[a-z:]+(?: -- [a-z-]+)?)/g)].map(([, name]) => ({ name: name!, meaning })),
  );

  it('are few, and each has its meaning in CONTRIBUTING.md', () => {
    expect(own.length).toBeLessThanOrEqual(16);
    const named = new Set(documented.map(({ name }) => name.replace(/^run | -- .*/g, '')));
    expect(own.filter((name) => !named.has(name))).toEqual([]);
    expect(documented.filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  });

  it.each(['check', 'generate'])(
    '%s lists what it runs, each with its meaning, all of it in CONTRIBUTING.md',
    (name) => {
      const script = join(projectFolder, 'scripts', `${name}.mjs`);
      const { status, stdout } = run(projectFolder, process.execPath, [script]);
      const listed = [...stdout.matchAll(/^ {2}([a-z-]+) +\w.{9}/gm)].map(([, each]) => `run ${name} -- ${each!}`);
      expect([status, listed.length]).toEqual([0, stdout.trimEnd().split('\n').length - 2]);
      expect(listed.filter((each) => !documented.some((row) => row.name === each))).toEqual([]);
      const unknown = run(projectFolder, process.execPath, [script, 'nothing']);
      expect(unknown).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringContaining("There is no 'nothing'."),
      });
    },
  );

  it.each(readDocuments().map(({ path, text }) => [path, text]))('that %s names are there', (_path, text) => {
    const named = [...text.matchAll(/\bnpm run (?:--silent )?([a-z:]+)/g)].map(([, name]) => name!);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe('in a project of its own', () => {
  let folder: string;

  beforeEach(() => {
    folder = scratchFolder('commands');
    writeSmallProject(folder, { openapi: scripts['openapi'] });
    put('src/main.ts', 'console.log(`{"openapi":"3.1.0"}`);');
  });

  afterEach(() => {
    removeScratch(folder);
  });

  const put = (path: string, text: string): void => writeIn(folder, path, text);

  const build = (args: readonly string[], env?: NodeJS.ProcessEnv, node = process.execPath) =>
    run(folder, node, [join(folder, 'scripts/build.mjs'), ...args], env);
  const runs = (): number => readFileSync(join(folder, 'runs'), 'utf8').split('\n').length - 1;

  it('the build says that it builds; --unless-built builds what is not built, and nothing else', () => {
    expect(build(['--unless-built'])).toMatchObject({ status: 0, stderr: 'Building dist\n' });
    expect(build(['--unless-built'])).toMatchObject({ status: 0, stderr: '' });
    expect(runs()).toBe(1);
    put('src/more.ts', '');
    expect(build(['--unless-built'])).toMatchObject({ status: 0, stderr: 'Building dist\n' });
    // Another tool has written it since.
    put('dist/main.js', 'else');
    expect(build(['--unless-built'])).toMatchObject({ status: 0, stderr: 'Building dist\n' });
    put('dist/left-behind.js', '');
    expect(build([])).toMatchObject({ status: 0, stderr: 'Building dist\n' });
    expect(existsSync(join(folder, 'dist/left-behind.js'))).toBe(false);
    expect(runs()).toBe(4);
  });

  it('a build that failed ends as its step did, and is made again', () => {
    put('src/main.ts', 'broken');
    const failing = { status: 2, stderr: 'Building dist\n' };
    expect([build(['--unless-built']), build(['--unless-built'])]).toMatchObject([failing, failing]);
  });

  it('the build on an older Node says what brings the right one', () => {
    const { node, env } = oldNode(folder);
    const { status, stderr } = build([], env, node);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^This needs Node\.js 24\.11 or later.*npm rebuild node/),
    ]);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });

  it('npm run openapi leaves the document as it is where the build or the program fails, and writes it where not', () => {
    const openapi = () => run(folder, 'npm', ['run', '--silent', 'openapi'], { PATH }).status;
    const document = () => readFileSync(join(folder, 'openapi.json'), 'utf8');
    put('openapi.json', 'as it was');
    put('scripts/write-client-types.mjs', "process.stdout.write('')");
    put('src/main.ts', 'broken');
    expect([openapi(), document()]).toEqual([2, 'as it was']);
    put('src/main.ts', 'process.stdout.write("half of it"); process.exitCode = 3;');
    expect([openapi(), document()]).toEqual([3, 'as it was']);
    put('src/main.ts', 'console.log(`{"openapi":"3.1.0"}`);');
    expect([openapi(), document()]).toEqual([0, '{"openapi":"3.1.0"}\n']);
  });
});
