import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { build, type BuildOptions } from 'esbuild';

const script = fileURLToPath(new URL('../../scripts/without-redundant-names.mjs', import.meta.url));
const { withoutRedundantNames } = (await import(script)) as { withoutRedundantNames: (text: string) => string };

/** Functions and classes of every kind, in every place that names them. The code reports their names. */
const source = `
  function declared() {}
  const arrow = () => {};
  const expression = function () {};
  const named = function inner() {};
  const made = class {};
  class Declared { static still() {} field = () => {}; #secret = async () => {}; get secret() { return this.#secret; } }
  class Referring { static itself() { return Referring; } }
  let assigned;
  assigned = function* () {};
  const { bound = () => {} } = {};
  const parameter = (given = () => {}) => given;
  const object = { member: () => {}, 'quoted name': class {}, async asynchronous() {}, *generator() {} };
  const heir = { __proto__: function () {} };
  const nested = () => { const within = () => {}; return within; };
  function outer() { function inside() {} return inside; }
  const instance = new Declared();
  names = [
    declared, arrow, expression, named, made, Declared, Declared.still, instance.field, instance.secret, Referring, assigned,
    bound, parameter(), ...Object.values(object), Object.getPrototypeOf(heir), nested(), outer(),
  ].map(({ name }) => name);
`;

/** Two identical modules, so that esbuild renames the declarations at the top of one of them. */
const twice: BuildOptions = {
  stdin: { contents: `import 'same';${source}` },
  bundle: true,
  plugins: [
    {
      name: 'same',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^same$/ }, ({ path }) => ({ path, namespace: 'same' }));
        onLoad({ filter: /^same$/, namespace: 'same' }, () => ({ contents: source }));
      },
    },
  ],
};

async function named(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...options, keepNames: true, format: 'iife', target: 'node24', write: false });
  return outputFiles[0]?.text ?? '';
}

const namesIn = (code: string): unknown => runInNewContext(`let names;${code};names`);

it.each([
  ['as they are', { stdin: { contents: source } }],
  ['some of which it renames', twice],
])('functions have the names of the source once esbuild has named them, %s', async (_, options) => {
  const code = await named(options);
  const cut = withoutRedundantNames(code);
  expect(cut.length).toBeLessThan(code.length);
  expect(namesIn(cut)).toEqual(namesIn(code));
  expect(namesIn(cut)).toContain('quoted name');
});

it('no function is named that has its name anyway', async () => {
  const cut = withoutRedundantNames(await named({ stdin: { contents: source } }));
  const left = [...cut.matchAll(/__name\(([^;]*)\)/g)].map(([call]) => call);
  // esbuild names this function, but the language does not.
  expect(left).toEqual([expect.stringContaining('"__proto__"')]);
});
