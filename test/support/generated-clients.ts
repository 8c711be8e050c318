import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { projectFolder } from './command.js';
import { scratchFolder } from './scratch.js';

const run = promisify(execFile);
const programOf = createRequire(import.meta.url).resolve;

const COMPILER_OPTIONS = {
  target: 'ES2024',
  lib: ['ES2024', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'NodeNext',
  strict: true,
  types: ['node'],
  skipLibCheck: true,
  rootDir: '.',
  outDir: 'out',
};

/** A project of a client programmer: strict TypeScript, with this package and the packages that are installed here. */
export class ClientProject {
  readonly folder = scratchFolder('client');

  constructor() {
    const modules = join(this.folder, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(projectFolder, 'node_modules'))) {
      symlinkSync(join(projectFolder, 'node_modules', name), join(modules, name));
    }
    symlinkSync(projectFolder, join(modules, 'animal-store'));
    this.write('package.json', JSON.stringify({ type: 'module' }));
    this.write('tsconfig.json', JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['**/*.ts'] }));
    mkdirSync(join(this.folder, 'out'));
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }

  /**
   * Generates `pets/` with @hey-api/openapi-ts from `openapi.json`; int64 is `bigint`. Returns the generator's output,
   * warnings too.
   */
  async generateWithHeyApi(): Promise<string> {
    const plugins = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'];
    const config = {
      input: './openapi.json',
      output: './pets',
      plugins: [...plugins, { name: '@hey-api/transformers', bigInt: true }],
    };
    this.write('openapi-ts.config.mjs', `export default ${JSON.stringify(config)};\n`);
    const bin = join(projectFolder, 'node_modules/@hey-api/openapi-ts/bin/run.js');
    return this.#node([bin, '--no-log-file']);
  }

  /** Compiles the whole project. Rejects with the output of the compiler. */
  async compile(): Promise<void> {
    await this.#node([programOf('typescript/bin/tsc'), '-p', '.']);
  }

  /** Runs a compiled program. Returns the lines that it printed. */
  async run(name: string, env: Readonly<Record<string, string>>): Promise<string[]> {
    return (await this.#node([join('out', name)], env)).trim().split('\n');
  }

  async #node(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
    const options = { cwd: this.folder, env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env } };
    try {
      const { stdout, stderr } = await run(process.execPath, args, options);
      return stdout + stderr;
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: string; stderr?: string };
      throw new Error(`${args.join(' ')} failed\n${stdout ?? ''}${stderr ?? ''}`, { cause: error });
    }
  }
}
