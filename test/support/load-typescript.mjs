/** Lets a program import the TypeScript files of `test/`. */
import { registerHooks } from 'node:module';
import { transformSync } from '@swc/core';
import { swcOptions } from './swc-options.mjs';

registerHooks({
  resolve(specifier, context, nextResolve) {
    // As TypeScript has it: `./one.js` beside a file of `test/` is `./one.ts`.
    const isOwn = /^\.{1,2}\/.*\.js$/.test(specifier) && /^file:.*\/test\/.*\.ts$/.test(context.parentURL ?? '');
    return nextResolve(isOwn ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
  load(url, context, nextLoad) {
    if (!/^file:.*\/test\/.*\.ts$/.test(url)) return nextLoad(url, context);
    const { source } = nextLoad(url, { ...context, format: 'module' });
    const { code } = transformSync(String(source), { ...swcOptions, filename: url });
    return { format: 'module', source: code, shortCircuit: true };
  },
});
