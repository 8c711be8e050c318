import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFolder } from './command.js';

/**
 * A compiler that copies `src/main.ts`, counts its runs in the file `runs`, and fails if the source contains `broken`.
 */
const COMPILER = `import { mkdirSync, writeFileSync, appendFileSync, readFileSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
appendFileSync('runs', 'compiled\\n');
const source = readFileSync('src/main.ts', 'utf8');
if (source.includes('broken')) process.exit(2);
for (const name of ['main', 'index']) writeFileSync(\`dist/\${name}.js\`, source);
`;

/** Writes a small project into a folder, with the build script of this project and a trivial compiler. */
export function writeSmallProject(folder: string, scripts: Readonly<Record<string, string | undefined>>): void {
  const files = {
    'package.json': JSON.stringify({ name: 'small', type: 'module', scripts }),
    'package-lock.json': '{}',
    'tsconfig.json': '{}',
    'tsconfig.build.json': '{}',
    'scripts/bundle-program.mjs': '',
    'scripts/warm-compile-cache.mjs': '',
    'node_modules/typescript/bin/tsc': COMPILER,
    'src/main.ts': '',
  };
  for (const [path, text] of Object.entries(files)) writeIn(folder, path, text);
  cpSync(join(projectFolder, 'scripts/build.mjs'), join(folder, 'scripts/build.mjs'));
}

/** Writes a file, and creates its folders. */
export function writeIn(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
