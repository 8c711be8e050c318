/** Imported before a program: writes the address of every module that it loaded, one a line, to $LOADED_MODULES_FILE. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import process from 'node:process';

const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED_MODULES_FILE, loaded.join('\n')));
