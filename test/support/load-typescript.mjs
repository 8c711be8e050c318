/**
 * Lets a program import the TypeScript files of `test/`. CHANGED_LINES is a JSON file beside some of them with lines that are
 * others for this program.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { transformSync } from '@swc/core';
import { swcOptions } from './swc-options.mjs';

const { CHANGED_LINES } = process.env;
const changesAt = CHANGED_LINES && new URL(CHANGED_LINES, import.meta.url);
const changes = changesAt ? JSON.parse(readFileSync(changesAt, 'utf8')) : [];

/** @throws {Error} where a line that is to be another one is not there. */
function changed(url, source) {
  return changes
    .filter(({ file }) => url === new URL(file, changesAt).href)
    .reduce((text, { line, becomes }) => {
      if (!text.includes(line)) throw new Error(`${url} has no line ${line}`);
      return text.replace(line, becomes);
    }, source);
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    // As TypeScript has it: `./one.js` beside a file of `test/` is `./one.ts`.
    const isOwn = /^\.{1,2}\/.*\.js$/.test(specifier) && /^file:.*\/test\/.*\.ts$/.test(context.parentURL ?? '');
    return nextResolve(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
  load(url, context, nextLoad) {
    if (!/^file:.*\/test\/.*\.ts$/.test(url)) return nextLoad(url, context);
    const { source } = nextLoad(url, { ...context, format: 'module' });
    const { code } = transformSync(changed(url, String(source)), { ...swcOptions, filename: url });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
