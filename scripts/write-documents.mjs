/** Writes what the built program says of its configuration into .env.example, docs/operating/configure.md and the chart. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { variableSchemas } from '../test/support/chart-values.ts';

const printConfig = (option) =>
  execFileSync(process.execPath, ['dist/main.js', 'config', option], { encoding: 'utf8' });

writeFileSync('.env.example', printConfig('--example'));

const markdown = printConfig('--markdown');
const page = readFileSync('docs/operating/configure.md', 'utf8');
const begin = '<!-- configuration: written by `npm run docs` -->\n';
const end = '<!-- end of configuration -->';
const [before, after] = [page.indexOf(begin) + begin.length, page.indexOf(end)];
writeFileSync('docs/operating/configure.md', `${page.slice(0, before)}\n${markdown}\n${page.slice(after)}`);

const path = 'deploy/helm/animal-store/values.schema.json';
const schema = JSON.parse(readFileSync(path, 'utf8'));
const { config, files } = variableSchemas(markdown);
schema.properties.config.properties = config;
schema.properties.secrets.properties.files.properties = files;
writeFileSync(path, await format(JSON.stringify(schema), { parser: 'json', printWidth: 120 }));
