/** Prints, for each `{ file, code }` of its argument, the names of the rules that the project's linter finds broken. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ESLint } from 'eslint';

const snippets = JSON.parse(process.argv[2]);
// The compiler begins anew for each snippet: it is to know their files alone, not the whole of tsconfig.json.
const folder = mkdtempSync(join(tmpdir(), 'animal-store-snippets-'));
const project = join(folder, 'tsconfig.json');
const files = snippets.map(({ file }) => resolve(file));
const compilerOptions = { typeRoots: [resolve('node_modules/@types')] };
writeFileSync(project, JSON.stringify({ extends: resolve('tsconfig.json'), compilerOptions, files, include: [] }));
const eslint = new ESLint({
  // Under CI the parser would make one program of the files as they are, and not of the snippets.
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
