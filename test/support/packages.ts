import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from './command.js';

const run = promisify(execFile);
const OUTPUT_BYTES = 16 * 1024 ** 2;

/** Runs npm, or a program of a package, and returns its output. Rejects with all of the output if it fails. */
export async function runIn(folder: string, command: string, ...args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run(command, args, { cwd: folder, env: cleanEnvironment(), maxBuffer: OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed in ${folder}\n${stdout ?? ''}${stderr ?? ''}`, {
      cause: error,
    });
  }
}

/**
 * Without the variables that `npm test` sets for the programs below it, and with the Node that runs this process first
 * on PATH.
 */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^npm_(?!config_(registry|cache)$)|^INIT_CWD$/i.test(name),
  );
  return { ...Object.fromEntries(own), PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) };
}

/** Packs a package. Returns the path of its tarball in `into`. */
export async function pack(folder: string, into: string): Promise<string> {
  const printed = await runIn(folder, 'npm', 'pack', '--json', '--pack-destination', into);
  const [packed] = Object.values(JSON.parse(printed) as Record<string, { filename: string }>);
  if (packed === undefined) throw new Error(`npm pack said nothing: ${printed}`);
  return join(into, packed.filename);
}

/**
 * Installs dependencies into a new package by plain `npm install`. Packages in the machine's cache are not fetched
 * again.
 */
export async function install(folder: string, ...dependencies: readonly string[]): Promise<void> {
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }));
  await runIn(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...dependencies);
}

/**
 * Compiles a copy of a package of this project, for example `examples/store-orders`. It finds the project by its name,
 * as another team finds the installed package.
 */
export async function buildPackage(path: string, into: string): Promise<string> {
  const folder = join(into, basename(path));
  const source = join(projectFolder, path);
  cpSync(source, folder, { recursive: true, filter: (path) => !/\/(node_modules|dist)$/.test(path) });
  linkPackages(folder);
  await compile(folder);
  return folder;
}

const LINKED = [
  '@nestjs',
  '@types',
  'better-sqlite3-v13',
  'class-transformer',
  'class-validator',
  'express',
  'reflect-metadata',
  'rxjs',
  'supertest',
  'typeorm',
  'typescript',
];

/** Makes the project's packages, and the project by its name, available to a folder outside of it. */
export function linkPackages(folder: string): void {
  const modules = join(folder, 'node_modules');
  mkdirSync(modules, { recursive: true });
  symlinkSync(projectFolder, join(modules, 'animal-store'));
  for (const name of LINKED) symlinkSync(join(projectFolder, 'node_modules', name), join(modules, name));
}

export async function compile(folder: string): Promise<void> {
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
  await runIn(folder, process.execPath, join(folder, 'node_modules/typescript/bin/tsc'));
}

/**
 * Runs every test of a compiled package with `node --test`.
 *
 * @param server the URL of the server for its databases. Default: databases in memory.
 */
export async function runNodeTests(folder: string, server = ''): Promise<string> {
  if (!existsSync(join(folder, 'dist'))) throw new Error(`${folder} is not compiled`);
  return runIn(folder, 'env', `TEST_DATABASE_URL=${server}`, process.execPath, '--test', 'dist/**/*.test.js');
}
