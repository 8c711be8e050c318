/**
 * Bundles the build: the service `dist/main.js` and the command line `dist/cli.js`, with shared chunks in
 * `dist/program`. A start then reads some files in place of two thousand (docs/decisions/0018-bundling.md). The other
 * files of `dist` stay separate modules: they are the package, which other programs import.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, encode } from '@jridgewell/sourcemap-codec';
import { build } from 'esbuild';
import { withoutRedundantNames } from './without-redundant-names.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const dist = join(project, 'dist');

/**
 * Our modules find files and packages relative to their place in `dist`. In a bundle that would be the place of the
 * chunk.
 */
const placesInDist = {
  name: 'places in dist',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, async ({ path }) => {
      if (!path.startsWith(`${dist}/`)) return undefined;
      const place = JSON.stringify(`../${relative(dist, path)}`);
      const text = await readFile(path, 'utf8');
      const contents = text
        // Removed, so that `require` is the bundler's, which bundles what it loads.
        .replace('const require = createRequire(import.meta.url);', '')
        .replaceAll('import.meta.url', `new URL(${place}, import.meta.url).href`);
      return { contents };
    });
  },
};

/**
 * Maps only our own code. Sources of libraries are not shipped, and their maps would be many times larger than ours.
 */
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
  // Nest's injection, the OpenAPI document and the database tables use the names of classes.
  keepNames: true,
  plugins: [placesInDist, mapsOfOurs, redundantNames],
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  absWorkingDir: project,
  // Chunks do not run in the order of their imports, and every decorator needs this package.
  inject: ['reflect-metadata'],
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  // Native code, files for browsers, and parts of Nest that are not installed.
  external: ['better-sqlite3-v13', 'swagger-ui-dist', '@fastify/static', '@nestjs/microservices', '@nestjs/websockets'],
  logLevel: 'warning',
});
