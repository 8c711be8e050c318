/**
 * Generates clients from the served document with generators from npm, PyPI, Go and Maven. They read it as JSON, and as
 * YAML if they can. Compiles each client, and runs a program that creates, lists page by page and gets, with exact
 * int64. The programs are in `scripts/clients`. First runs `test/contract/clients.spec.ts`, which does the same with
 * openapi-typescript, @hey-api/openapi-ts and the client of this package.
 *
 *   npm run check -- clients [NAME …]
 *
 * Needs python3 with venv, go, Java with Maven for openapi-generator, and for its PHP client Debian's php-cli,
 * php-curl, php-mbstring and php-guzzlehttp-guzzle. Needs the registries the first time: tools are kept in
 * `node_modules/.cache/clients`. A client whose programs are missing is skipped by name. A generator's warning is a
 * failure, unless `expected` matches it; docs/api.md says what to do about those.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findProgram } from '../test/support/programs.ts';
import { startService } from './built-service.mjs';

const project = fileURLToPath(new URL('..', import.meta.url));
const tools = join(project, 'node_modules/.cache/clients');
const PYTHON = ['openapi-python-client==0.29.1', 'datamodel-code-generator==0.89.0', 'ruff==0.15.0'];
const ORVAL = 'orval@7.13.2';
const OGEN = 'github.com/ogen-go/ogen/cmd/ogen@v1.25.0';
const OAPI = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

const OPENAPI_GENERATOR = 'org.openapitools:openapi-generator-cli:7.25.0';

const PRINTED = [
  '201 7',
  '201 9007199254740993',
  '201 -9223372036854775808',
  '7 9007199254740993',
  '-9223372036854775808',
  '-9223372036854775808',
  'pet_not_found',
];

const python = { path: join(tools, 'python'), install: installPython };
const go = (name, source) => ({
  path: join(tools, 'go', name),
  install: () => run('go', ['install', source], { env: { ...process.env, GOBIN: join(tools, 'go') } }),
});

const jar = { path: join(tools, 'openapi-generator-cli.jar'), install: installJar };
const openapiGenerator = (language, options, { needs = [], ...client }) => ({
  tool: jar,
  needs: ['java', 'mvn', ...needs],
  generate: (_folder, document) => [
    'java',
    ['-jar', jar.path, 'generate', '-i', document, '-g', language, '-o', 'api', ...options],
  ],
  expected: /OpenAPI 3\.1 support is still in beta|Failed to get the schema name: null|Ignoring complex example/,
  ...client,
});

const CLIENTS = {
  orval: {
    tool: { path: join(tools, 'orval'), install: installOrval },
    generate: (folder, document) => {
      const override = { useBigInt: true, fetch: { jsonReviver: { name: 'exact', path: './exact.ts' } } };
      const output = { target: './pets.ts', client: 'fetch', baseUrl: process.env.BASE, override };
      writeFileSync(
        join(folder, 'orval.config.cjs'),
        `module.exports = ${JSON.stringify({ pets: { input: document, output } })};`,
      );
      writeFileSync(join(folder, 'exact.ts'), EXACT);
      return ['node', [join(tools, 'orval/node_modules/orval/dist/bin/orval.js'), '--config', 'orval.config.cjs']];
    },
    compile: (folder) => compileTypeScript(folder, 'orval.txt'),
    start: ['node', ['out/main.js']],
  },
  'openapi-python-client': {
    tool: python,
    generate: (_folder, document) => [
      join(tools, 'python/bin/openapi-python-client'),
      [
        'generate',
        '--path',
        document,
        '--meta',
        'none',
        '--output-path',
        'animal_store_client',
        '--overwrite',
        '--fail-on-warning',
      ],
    ],
    compile: (folder) => {
      copyFileSync(join(project, 'scripts/clients/openapi_python_client.py'), join(folder, 'main.py'));
      run(join(tools, 'python/bin/python'), ['-m', 'compileall', '-q', '.'], { cwd: folder });
    },
    start: [join(tools, 'python/bin/python'), ['main.py']],
  },
  'datamodel-code-generator': {
    tool: python,
    generate: (_folder, document) => [
      join(tools, 'python/bin/datamodel-codegen'),
      [
        '--input',
        document,
        '--input-file-type',
        'openapi',
        '--output',
        'models.py',
        '--output-model-type',
        'pydantic_v2.BaseModel',
        '--formatters',
        'builtin',
      ],
    ],
    compile: (folder) =>
      copyFileSync(join(project, 'scripts/clients/datamodel_code_generator.py'), join(folder, 'main.py')),
    start: [join(tools, 'python/bin/python'), ['main.py']],
  },
  'oapi-codegen': {
    tool: go('oapi-codegen', OAPI),
    generate: (_folder, document) => [
      join(tools, 'go/oapi-codegen'),
      ['-generate', 'types,client', '-package', 'api', '-o', 'api/api.go', document],
    ],
    compile: (folder) => compileGo(folder, 'oapi-codegen.go'),
    start: ['./client', []],
  },
  ogen: {
    tool: go('ogen', OGEN),
    generate: (_folder, document) => [
      join(tools, 'go/ogen'),
      ['--target', 'api', '--package', 'api', '--clean', document],
    ],
    expected: /Header name is not canonical|Convenient errors are not available/,
    compile: (folder) => compileGo(folder, 'ogen.go'),
    start: ['./client', []],
  },
  'openapi-generator-typescript-fetch': openapiGenerator(
    'typescript-fetch',
    ['--type-mappings=long=bigint', '--language-specific-primitives=bigint', '--model-name-mappings=Error=StoreError'],
    {
      compile: (folder) => compileTypeScript(folder, 'openapi-generator.txt'),
      start: ['node', ['out/main.js']],
    },
  ),
  'openapi-generator-python': openapiGenerator('python', [], {
    compile: (folder) => {
      const python = join(folder, 'python');
      run('python3', ['-m', 'venv', python]);
      run(join(python, 'bin/pip'), ['install', '--quiet', './api'], { cwd: folder });
      copyFileSync(join(project, 'scripts/clients/openapi_generator.py'), join(folder, 'main.py'));
    },
    start: ['python/bin/python', ['main.py']],
  }),
  'openapi-generator-java': openapiGenerator('java', [], {
    compile: (folder) => {
      copyFileSync(
        join(project, 'scripts/clients/openapi-generator.java'),
        join(folder, 'api/src/main/java/Main.java'),
      );
      const goals = ['compile', 'dependency:copy-dependencies', '-DoutputDirectory=target/libraries'];
      run('mvn', ['-q', '-B', ...goals], { cwd: join(folder, 'api') });
    },
    start: ['java', ['-cp', 'api/target/classes:api/target/libraries/*', 'Main']],
  }),
  'openapi-generator-go': openapiGenerator(
    'go',
    [
      '--model-name-mappings=NewPet=PetInput',
      '--additional-properties=packageName=api,withGoMod=false',
      '--global-property=apis,models,supportingFiles,apiTests=false',
    ],
    { compile: (folder) => compileGo(folder, 'openapi-generator.go'), start: ['./client', []] },
  ),
  'openapi-generator-php': openapiGenerator('php', [], {
    needs: ['php'],
    compile: (folder) => {
      for (const file of globSync('api/lib/**/*.php', { cwd: folder })) run('php', ['-l', file], { cwd: folder });
      copyFileSync(join(project, 'scripts/clients/openapi-generator.php'), join(folder, 'main.php'));
    },
    start: ['php', ['main.php']],
  }),
};

const TYPESCRIPT = {
  target: 'ES2024',
  lib: ['ES2024', 'DOM', 'DOM.Iterable'],
  module: 'ESNext',
  moduleResolution: 'Bundler',
  strict: true,
  types: ['node'],
  typeRoots: [join(project, 'node_modules/@types')],
  noEmit: true,
};

const EXACT = `
export const exact = (_name: string, value: unknown, context?: { source: string }): unknown =>
  typeof value === 'number' && ['id', 'categoryId'].includes(_name) ? BigInt(context?.source ?? value) : value;
`;

const wanted = process.argv.slice(2);
// openapi-python-client looks for ruff on PATH.
process.env.PATH = `${join(python.path, 'bin')}:${process.env.PATH}`;
if (wanted.length === 0)
  run('npm', ['test', '--', 'test/contract/clients.spec.ts'], { cwd: project, stdio: 'inherit' });
const failed = [];
for (const [name, client] of Object.entries(CLIENTS)) {
  if (wanted.length > 0 && !wanted.some((part) => name.startsWith(part))) continue;
  const missing = (client.needs ?? []).filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) {
    console.log(`${name}: skipped, since this machine lacks ${missing.join(', ')}`);
    continue;
  }
  try {
    await check(name, client);
    console.log(`${name}: ok`);
  } catch (error) {
    failed.push(name);
    console.error(`${name}: ${error.message}`);
  }
}
process.exitCode = failed.length > 0 ? 1 : 0;

async function check(name, { tool, generate, expected, compile, start: [command, args] }) {
  if (!existsSync(tool.path)) tool.install();
  const folder = join(project, 'artifacts/clients', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await using service = await startService();
  Object.assign(process.env, { BASE: `${service.url}/v1`, KEY: service.key });
  for (const form of name === 'ogen' ? ['json'] : ['yaml', 'json']) {
    const document = `openapi.${form}`;
    writeFileSync(join(folder, document), await (await fetch(`${service.url}/${document}`)).text());
    const output = run(...generate(folder, document), { cwd: folder });
    const warnings = output.split('\n').filter((line) => /warn/i.test(line) && !expected?.test(line));
    if (warnings.length > 0) throw new Error(`warns about ${document}: ${warnings.join('\n')}`);
  }
  compile(folder);
  const printed = run(command, args, { cwd: folder }).trim().split('\n');
  if (JSON.stringify(printed) !== JSON.stringify(PRINTED)) throw new Error(`printed ${printed.join('\n')}`);
}

/** The whole output, stdout and stderr. */
function run(command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command === 'node' ? process.execPath : command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    ...options,
  });
  if (error) throw error;
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout ?? ''}${stderr ?? ''}`);
  return `${stdout ?? ''}${stderr ?? ''}`;
}

function compileTypeScript(folder, program) {
  copyFileSync(join(project, 'scripts/clients', program), join(folder, 'main.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: TYPESCRIPT }));
  run('node', [join(project, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: folder });
  const form = ['--bundle', '--platform=node', '--format=esm', '--outfile=out/main.js', '--log-level=warning'];
  run(join(project, 'node_modules/.bin/esbuild'), ['main.ts', ...form], { cwd: folder });
}

function installJar() {
  mkdirSync(tools, { recursive: true });
  const copy = ['dependency:copy', `-Dartifact=${OPENAPI_GENERATOR}`, `-DoutputDirectory=${tools}`];
  run('mvn', ['-q', '-B', ...copy, '-Dmdep.stripVersion=true'], { cwd: tools });
}

function installPython() {
  run('python3', ['-m', 'venv', python.path]);
  run(join(python.path, 'bin/pip'), ['install', '--quiet', ...PYTHON]);
}

function installOrval() {
  mkdirSync(join(tools, 'orval'), { recursive: true });
  writeFileSync(join(tools, 'orval/package.json'), '{"private":true}');
  run('npm', ['install', '--no-audit', '--no-fund', ORVAL], { cwd: join(tools, 'orval') });
}

function compileGo(folder, program) {
  copyFileSync(join(project, 'scripts/clients', program), join(folder, 'main.go'));
  if (!existsSync(join(folder, 'go.mod'))) run('go', ['mod', 'init', 'client'], { cwd: folder });
  run('go', ['mod', 'tidy'], { cwd: folder });
  run('go', ['build', '-o', 'client', '.'], { cwd: folder });
}
