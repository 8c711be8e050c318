/**
 * Counts what a team writes for a list and a create on its own table: the files of docs/extending/guide.md, and those
 * of bench/plain-nest. test/extension/same-behaviour.spec.ts checks that both behave the same. Empty lines and comments
 * are not counted.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const folder = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

const guide = read('docs/extending/tutorial.md') + read('docs/extending/guide.md');
const written = [...guide.matchAll(/^```\w+ file=(\S+)\n(.*?)^```$/gms)].map(([, path, text]) => ({ path, text }));
const plain = ['tsconfig.json', ...readdirSync(folder('bench/plain-nest/src')).map((name) => `src/${name}`)].map(
  (path) => ({ path, text: read(`bench/plain-nest/${path}`) }),
);

const commandsIn = (text, word) =>
  [...text.matchAll(new RegExp(`^\`\`\`sh ${word}\\n(.*?)^\`\`\`$`, 'gms'))].flatMap(([, block]) =>
    block.trim().split('\n'),
  ).length;
const count = (files) => ({ files: files.length, lines: files.map(linesOf).reduce((sum, lines) => sum + lines, 0) });

function linesOf({ text }) {
  const lines = text.replace(/\/\*\*.*?\*\//gs, '').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

const counted = {
  generated: { commands: commandsIn(guide, 'guide'), files: 0, lines: 0 },
  byHand: { commands: commandsIn(guide, 'hand'), ...count(written) },
  plain: { commands: commandsIn(read('bench/plain-nest/README.md'), 'hand'), ...count(plain) },
};
console.log(JSON.stringify(counted, null, 2));
