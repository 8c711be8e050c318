/**
 * What there is to read: lines and files of `src` without its unit tests and of all tests, the longest function, uses of
 * private parts of libraries (docs/upgrading.md), and the share of what exists for speed alone.
 */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Files that do faster what Nest, Express or JSON.stringify would do as well. */
const FOR_SPEED = [
  'http/direct-routes',
  'http/plain-handler',
  'http/turn-queue',
  'http/exchange-list',
  'json/json-bytes',
  'logging/info-line',
  'runtime/compiled-code',
  'runtime/start-memory',
].map((name) => `src/platform/${name}.ts`);

const read = (path) => readFileSync(path, 'utf8');
const linesIn = (paths) => paths.reduce((sum, path) => sum + read(path).split('\n').length - 1, 0);
const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;

function functionsIn(path) {
  const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const found = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const start = node.getStart(source);
      found.push({ lines: lineOf(node.end) - lineOf(start) + 1, at: `${path}:${lineOf(start) + 1}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const all = globSync('src/**/*.ts').sort();
const sources = all.filter((path) => !path.endsWith('.spec.ts'));
const tests = [
  ...all.filter((path) => path.endsWith('.spec.ts')),
  ...globSync('test/**/*.{ts,mts,mjs,cjs}').filter((path) => !path.includes('node_modules')),
];
const [longest] = sources.flatMap(functionsIn).sort((a, b) => b.lines - a.lines);
const privateUses = read('docs/upgrading.md').match(/^\| `src\//gm) ?? [];
const lines = linesIn(sources);

console.log(
  [
    `src without unit tests  ${lines} lines in ${sources.length} files`,
    `tests                   ${linesIn(tests)} lines in ${tests.length} files`,
    `longest function        ${longest.lines} lines, ${longest.at}`,
    `private parts used      ${privateUses.length}`,
    `for speed alone         ${percent(linesIn(FOR_SPEED.filter((path) => sources.includes(path))), lines)} of src`,
  ].join('\n'),
);
