/**
 * What there is to read: lines and files of `src` without its unit tests and of all tests, the longest function, uses of
 * private parts of libraries (docs/upgrading.md), the share of what exists for speed alone, and through how many files
 * `limit` and `petId` go from the socket to SQL.
 */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { startNoting } from './request-calls.mjs';

/** Files that do faster what Nest, Express or JSON.stringify would do as well. */
const FOR_SPEED = [
  'http/direct-routes',
  'http/plain-handler',
  'http/turn-queue',
  'http/exchange-list',
  'json/json-bytes',
  'runtime/v8',
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

/** Of a limit of 97, of which one more is read, and of an id of as many digits: how a value of the request is known. */
const isLimit = (value) => /^9[78]$|limit=97\b|"limit":97\b/.test(String(value));
const isPetId = (value) => String(value).includes('8888888888888888888');

/** Files whose functions are given a value of a request, until the database has it. */
async function filesWith(holds, path) {
  const calls = await callsOf(() => application.client.get(path), holds);
  const given = calls.filter(({ isGiven, file }) => isGiven && !file.startsWith('testing/'));
  const last = given.findLastIndex(({ file }) => file.startsWith('platform/database/'));
  return new Set(given.slice(0, last + 1).map(({ file }) => file)).size;
}

const { application, callsOf } = await startNoting();
// What is done once, on the first request, is no part of it.
await application.client.get('/v1/pets');
const limit = await filesWith(isLimit, '/v1/pets?limit=97');
const petId = await filesWith(isPetId, '/v1/pets/8888888888888888888');
await application.stop();

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
    `limit and petId         in ${limit} and ${petId} files from the socket to SQL, on SQLite`,
  ].join('\n'),
);
