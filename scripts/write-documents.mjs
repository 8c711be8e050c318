/**
 * Writes what the built program prints about its configuration to .env.example, docs/operating/configure.md and the
 * chart, and the diagrams to docs/architecture.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { variableSchemas } from '../test/support/chart-values.ts';

const print = (...command) => execFileSync(process.execPath, command, { encoding: 'utf8' });
const printConfig = (option) => print('dist/main.js', 'config', option);

/** Replaces the part of a page between two comments. */
function fill(path, name, text) {
  const page = readFileSync(path, 'utf8');
  const begin = `<!-- ${name}: written by \`npm run docs\` -->\n`;
  const [from, to] = [page.indexOf(begin) + begin.length, page.indexOf(`<!-- end of ${name} -->`)];
  writeFileSync(path, `${page.slice(0, from)}\n${text}\n${page.slice(to)}`);
}

writeFileSync('.env.example', printConfig('--example'));

const markdown = printConfig('--markdown');
fill('docs/operating/configure.md', 'configuration', markdown);
fill('docs/architecture.md', 'diagrams', print('scripts/architecture-diagrams.mjs'));

const path = 'deploy/helm/animal-store/values.schema.json';
const schema = JSON.parse(readFileSync(path, 'utf8'));
const { config, files } = variableSchemas(markdown);
schema.properties.config.properties = config;
schema.properties.secrets.properties.files.properties = files;
writeFileSync(path, await format(JSON.stringify(schema), { parser: 'json', printWidth: 120 }));
