/** Prints the names of the lint rules that each `{ file, code }` of its argument violates. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ESLint } from 'eslint';

const snippets = JSON.parse(process.argv[2]);
// The compiler starts again for each snippet, so it should load their files only, not all of tsconfig.json.
const folder = mkdtempSync(join(tmpdir(), 'animal-store-snippets-'));
const project = join(folder, 'tsconfig.json');
const files = snippets.map(({ file }) => resolve(file));
const compilerOptions = { typeRoots: [resolve('node_modules/@types')] };
writeFileSync(project, JSON.stringify({ extends: resolve('tsconfig.json'), compilerOptions, files, include: [] }));
const eslint = new ESLint({
  // Under CI the parser would compile the files as they are on disk, not the snippets.
  overrideConfig: {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { project, disallowAutomaticSingleRunInference: true } },
  },
});
const found = [];
for (const { file, code } of snippets) {
  const [result] = await eslint.lintText(code, { filePath: file });
  found.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
}
rmSync(folder, { recursive: true });
process.stdout.write(JSON.stringify(found));
