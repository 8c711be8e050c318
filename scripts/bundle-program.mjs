/**
 * Makes the program of what was built: the service `dist/main.js`, its command line `dist/cli.js`, and in `dist/program`
 * the chunks that both are read from, some files in place of two thousand (docs/decisions/0018-bundling.md).
 * The other files of `dist` stay modules of their own: they are the package, whose features bring the rest.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { withoutRedundantNames } from './without-redundant-names.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const dist = join(project, 'dist');

/** A module of ours knows its files and packages by its place in `dist`, which in a bundle is that of the chunk. */
const placesInDist = {
  name: 'places in dist',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(`${dist}/`)) return undefined;
      const place = JSON.stringify(`../${relative(dist, path)}`);
      const text = await readFile(path, 'utf8');
      const contents = text
        // Without it `require` is the bundler's, which takes along what is loaded by it.
        .replace('const require = createRequire(import.meta.url);', '')
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
      return { contents };
    });
  },
};

/** Only our own code is mapped: a library's source is not there to be read, and its maps would be many times ours. */
const mapsOfOurs = {
  name: 'maps of our own code',
  setup({ onEnd }) {
    onEnd(async ({ metafile }) => {
      for (const path of Object.keys(metafile.outputs).filter((each) => each.endsWith('.map'))) {
        const map = JSON.parse(await readFile(join(project, path), 'utf8'));
        const isOurs = ([, source]) => source !== undefined && !map.sources[source].includes('node_modules/');
        map.mappings = encode(decode(map.mappings).map((line) => line.filter(isOurs)));
        map.sources = map.sources.map((source) => (source.includes('node_modules/') ? '' : source));
        await writeFile(join(project, path), JSON.stringify(map));
      }
    });
  },
};

const redundantNames = {
  name: 'redundant names',
  setup({ onEnd }) {
    onEnd(async ({ metafile }) => {
      let spared = 0;
      for (const path of Object.keys(metafile.outputs).filter((each) => !each.endsWith('.map'))) {
        const file = join(project, path);
        const text = await readFile(file, 'utf8');
        const shorter = withoutRedundantNames(text);
        spared += text.length - shorter.length;
        await writeFile(file, shorter);
      }
      if (spared === 0) throw new Error('esbuild names functions in another way');
    });
  },
};

await build({
  entryPoints: { main: `${dist}/main.js`, cli: `${dist}/bin.js` },
  outdir: dist,
  allowOverwrite: true,
  chunkNames: 'program/[name]-[hash]',
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Injection, the document and the tables name classes.
  keepNames: true,
  plugins: [placesInDist, mapsOfOurs, redundantNames],
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  absWorkingDir: project,
  // Chunks are not run in the order of their imports, and every decorator needs it.
  inject: ['reflect-metadata'],
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  // Machine code, files for browsers, and parts of Nest that are not installed.
  external: ['better-sqlite3-v13', 'swagger-ui-dist', '@fastify/static', '@nestjs/microservices', '@nestjs/websockets'],
  logLevel: 'warning',
});
