/** Prints, for each `{ file, code }` of its argument, the names of the rules that the project's linter finds broken. */
import { ESLint } from 'eslint';

const eslint = new ESLint();
const found = [];
for (const { file, code } of JSON.parse(process.argv[2])) {
  const [result] = await eslint.lintText(code, { filePath: file });
  found.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
}
process.stdout.write(JSON.stringify(found));
