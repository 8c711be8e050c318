import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { pets } from '../pets/index.js';
import { StartFault } from '../platform/errors/index.js';
import { runCommand } from './index.js';

let stdout: string;
let stderr: string;
let folder: string;
const here = process.cwd();
const environment = process.env;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  process.chdir(folder);
  [stdout, stderr] = ['', ''];
  jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((stderr += String(text))));
  jest.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((stdout += String(text))));
});

afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
  process.env = environment;
  process.chdir(here);
  rmSync(folder, { recursive: true });
});

it.each([
  ['frobnicate', "unknown command 'frobnicate'"],
  ['--frobnicate', "unknown option '--frobnicate'"],
  ['--port 4400', 'PORT=… node dist/main.js'],
  ['--http-body-limit-bytes=1', 'HTTP_BODY_LIMIT_BYTES=… node dist/main.js'],
  ['keys', 'Usage:'],
  ['keys destroy', "unknown command 'destroy'"],
  ['migrate now', 'too many arguments'],
  ['migrate --undo cats', "error: There is no feature 'cats'. There are: pets.\n"],
  ['migrate --undo pets --yes', 'FEATURES_OFF=pets'],
  ['migrate --yes', '--yes belongs to --undo'],
  ['openapi --xml', "unknown option '--xml'"],
  ['config --json', "unknown option '--json'"],
  ['new', 'Usage:'],
  ['new feature', "missing required argument 'name'"],
  ['new feature Toys', 'not lower kebab case'],
  ['new feature returns --singular return', '--singular'],
  ['new feature more-thans', '--singular'],
  ['seed', '--count'],
  ['seed --count 0', 'whole number'],
  ['seed --count 1 --feature cats', "'cats' has no samples"],
])('%s is asked wrongly: 2, and stderr says why', async (words, why) => {
  await runCommand([pets], words.split(' '));
  expect(process.exitCode).toBe(2);
  expect(stderr).toContain(why);
  expect(readdirSync(folder)).toEqual([]);
});

describe('a variable that is not known', () => {
  it.each([
    'migrate',
    'migrate --undo pets',
    'keys list',
    'seed --count 1',
    'grants --role service --user u --database d',
  ])('is told once by %s', async (words) => {
    const off = words.includes('--undo') ? 'pets' : '';
    process.env = { NODE_ENV: 'test', DATABASE_URL: 'sqlite:store', FEATURES_OFF: off, DATABASE_POOLSIZE: '5' };
    await runCommand([pets], ['migrate']);
    stderr = '';
    await runCommand([pets], words.split(' '));
    expect(process.exitCode ?? 0).toBe(0);
    const told = 'warning: DATABASE_POOLSIZE is not a known variable. Is DATABASE_POOL_SIZE meant?\n';
    expect(stderr.match(/warning: .*\n/g)).toEqual([told]);
  });
});

describe('without a database that can be used', () => {
  /** The error of the command. The service prints only the message of a `StartFault`. */
  async function faultOf(words: string, url: string): Promise<StartFault> {
    process.env = { NODE_ENV: 'test', DATABASE_URL: url };
    const fault = await runCommand([pets], words.split(' ')).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(StartFault);
    expect((fault as StartFault).exitCode).toBe(1);
    return fault as StartFault;
  }

  it.each(['keys list', 'migrate', 'seed --count 1'])('%s says which and why', async (words) => {
    const { message } = await faultOf(words, 'mysql://me:hunter2@127.0.0.1:1/store');
    const why = 'connect ECONNREFUSED 127.0.0.1:1';
    expect(message).toBe(`The database cannot be used: mysql://me:***@127.0.0.1:1/store: ${why}`);
  });

  it('says what is wrong with a file', async () => {
    writeFileSync('text', 'no database\n'.repeat(100));
    const said = async (path: string) => (await faultOf('migrate', `sqlite:${path}`)).message;
    const text = join(process.cwd(), 'text');
    expect(await said('text')).toBe(`The database cannot be used: ${text}: file is not a database (SQLITE_NOTADB)`);
    expect(await said('text/x/y')).toContain(`${text}/x/y: ENOTDIR`);
    // Node's recursive `mkdir` never ends there.
    expect(await said('/proc/x/y')).toContain(': /proc/x/y: ENOENT');
  });

  it.each(['keys create --name me', 'keys list'])('%s makes none', async (words) => {
    const { message } = await faultOf(words, 'sqlite:data/store');
    expect(message).toContain(`${join(process.cwd(), 'data/store')}: there is no such file`);
    expect(readdirSync('.')).toEqual([]);
  });
});

describe('seed', () => {
  it('says that the feature is off', async () => {
    process.env = { NODE_ENV: 'test', DATABASE_URL: 'sqlite:store', FEATURES_OFF: 'pets' };
    await runCommand([pets], ['seed', '--count', '3']);
    expect(process.exitCode).toBe(2);
    expect(stderr).toContain("error: 'pets' is off (FEATURES_OFF)\n");
    expect(readdirSync('.')).toEqual([]);
  });

  it('makes no file where it may make no tables', async () => {
    process.env = { NODE_ENV: 'test', DATABASE_URL: 'sqlite:store', MIGRATIONS: 'check' };
    await expect(runCommand([pets], ['seed', '--count', '3'])).rejects.toThrow('there is no such file');
    expect(readdirSync('.')).toEqual([]);
  });
});

it.each(['help', '--version', 'keys --help'])('%s is 0', async (words) => {
  await runCommand([pets], words.split(' '));
  expect(process.exitCode ?? 0).toBe(0);
  expect(stderr).toBe('');
});

it('--help says what no arguments do, and gives each command a meaning', async () => {
  await runCommand([pets], ['--help']);
  const help = stdout.replace(/\s+/g, ' ');
  expect(help).toContain('Without arguments, `node dist/main.js` is the service.');
  const commands = /Commands:\n([^]*)$/.exec(stdout)![1]!.match(/^ {2}\S.*$/gm)!;
  expect(commands.map((line) => line.trim().split(' ')[0])).toStrictEqual([
    'keys',
    'migrate',
    'grants',
    'openapi',
    'config',
    'new',
    'seed',
    'help',
  ]);
  expect(commands.filter((line) => !/^ {2}\S.*? {2,}\S/.test(line))).toEqual([]);
});

it.each(['fields', 'firsts', 'events'])('new feature %s is written', async (name) => {
  await runCommand([pets], ['new', 'feature', name]);
  expect(process.exitCode ?? 0).toBe(0);
  expect(readdirSync(join(folder, 'src', name))).toContain(`${name}.feature.ts`);
});

it('new feature that breaks is a fault, and no wrong way to ask', async () => {
  jest.spyOn(process.stdout, 'write').mockImplementation(() => {
    throw new TypeError('broken');
  });
  await expect(runCommand([pets], ['new', 'feature', 'toys'])).rejects.toThrow('broken');
  expect(process.exitCode).toBeUndefined();
});

describe('new feature that cannot be written', () => {
  // The folder has the longest allowed name, so the names of some of its files are too long.
  const long = `${'a'.repeat(239)}s`;

  it('says so, with the code', async () => {
    writeFileSync(join(folder, 'src'), '');
    const fault = runCommand([pets], ['new', 'feature', 'toys']);
    const message = `${join(process.cwd(), 'src/toys')} cannot be written (ENOTDIR)`;
    await expect(fault).rejects.toMatchObject({ message, exitCode: 1 });
  });

  it.each([[[]], [['--package']]])('leaves nothing of it, %j', async (options) => {
    const fault = runCommand([pets], ['new', 'feature', long, ...options]);
    await expect(fault).rejects.toThrow(/ cannot be written \(ENAMETOOLONG\)$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves what was there', async () => {
    mkdirSync(join(folder, 'src/toys'), { recursive: true });
    await expect(runCommand([pets], ['new', 'feature', long])).rejects.toThrow(StartFault);
    expect(readdirSync(folder, { recursive: true })).toEqual(['src', 'src/toys']);
  });
});

describe('new feature in a repository', () => {
  const list = 'src/features.ts';

  beforeEach(() => {
    mkdirSync(join(folder, 'src/platform'), { recursive: true });
    for (const path of ['src/index.ts', 'src/platform/feature.ts']) writeFileSync(join(folder, path), '');
  });

  it.each([
    ['[pets]', '[pets, toys]'],
    ['[\n  pets,\n  orders,\n]', '[pets, orders, toys]'],
    ['[]', '[toys]'],
  ])('adds to the list %j', async (before, after) => {
    writeFileSync(join(folder, list), `export const features: readonly Feature[] = ${before};\n`);
    await runCommand([pets], ['new', 'feature', 'toys']);
    expect(readFileSync(join(folder, list), 'utf8')).toBe(
      `import { toys } from './toys/index.js';\nexport const features: readonly Feature[] = ${after};\n`,
    );
  });

  it('writes nothing where it knows no list', async () => {
    writeFileSync(join(folder, list), 'export const features = all();\n');
    await runCommand([pets], ['new', 'feature', 'toys']);
    expect(process.exitCode).toBe(2);
    expect(stderr).toContain('src/features.ts has no list of features');
    expect(readdirSync(join(folder, 'src'))).not.toContain('toys');
  });
});
