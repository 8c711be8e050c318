/** Writes what the built program says of its configuration into .env.example and docs/operating/configure.md. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const say = (option) => execFileSync(process.execPath, ['dist/main.js', 'config', option], { encoding: 'utf8' });

writeFileSync('.env.example', say('--example'));

const page = readFileSync('docs/operating/configure.md', 'utf8');
const begin = '<!-- configuration: written by `npm run docs` -->\n';
const end = '<!-- end of configuration -->';
const [before, after] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
writeFileSync('docs/operating/configure.md', `${page.slice(0, before)}\n${say('--markdown')}\n${page.slice(after)}`);
