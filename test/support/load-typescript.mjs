/**
 * Lets a program import the TypeScript files of `test/`. CHANGED_LINES names a JSON file that replaces lines of some of
 * them, for this program only.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { transformSync } from '@swc/core';
import { swcOptions } from './swc-options.mjs';

const { CHANGED_LINES } = process.env;
const changesAt = CHANGED_LINES && new URL(CHANGED_LINES, import.meta.url);
const changes = changesAt ? JSON.parse(readFileSync(changesAt, 'utf8')) : [];

/** @throws {Error} if a line that is to be replaced is not there. */
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
    // As in TypeScript, `./one.js` imported by a file of `test/` means `./one.ts`.
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
