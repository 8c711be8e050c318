import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { projectFolder, runCommand } from '../support/command.js';
import { projectFiles, readDocuments } from '../support/markdown.js';

const read = (path: string): string => readFileSync(join(projectFolder, path), 'utf8');
const database = { url: 'sqlite::memory:' };

/** What a document has the reader type or set: its fenced blocks, and texts in backticks. */
const documents = readDocuments()
  .filter(({ path }) => path !== 'CHANGELOG.md')
  .map(({ path, codes, fences }) => ({ path, typed: [...codes, ...fences.map(({ text }) => text)] }));

/** Subcommands of npm itself that these pages use. */
const OF_NPM = new Set(['ci', 'init', 'install', 'ls', 'pack', 'pkg', 'rebuild', 'version']);

describe.each(documents)('$path', ({ typed }) => {
  it('has scripts run that package.json has', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = typed.flatMap((text) =>
      [...text.matchAll(/\bnpm (?:run (?:--?\w+ )*)?([\w:-]+)/g)].map(([, name]) => name!),
    );
    expect(named.filter((name) => !OF_NPM.has(name) && !(name in scripts))).toEqual([]);
  });

  it('sets variables that something reads', () => {
    const named = typed.flatMap((text) => text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []);
    // A page may declare the variables of its own feature.
    const declared = typed.flatMap((text) =>
      [...text.matchAll(/^ *([A-Z0-9_]+): variable\./gm)].map(([, name]) => name!),
    );
    const known = new Set([...configured(), ...readElsewhere(), ...ofOpenTelemetry(), ...NO_VARIABLES, ...declared]);
    const others = named.filter((name) => !OF_ENGINES.test(name));
    expect(others.filter((name) => !known.has(name) && !known.has(name.replace(/_FILE$/, '')))).toEqual([]);
  });

  it('gives commands the options that they have', () => {
    const unknown = typed.flatMap(commandsIn).flatMap(({ command, options }) => {
      const usage = help.get(command) ?? '';
      if (!usage.startsWith(`Usage: animal-store ${command}`.trimEnd())) return [`there is no ${command}`];
      const missing = options.filter((option) => !new RegExp(`[\\s,]${option}\\b`).test(usage));
      return missing.map((option) => `${command} ${option}`);
    });
    expect(unknown).toEqual([]);
  });
});

/** The output of `--help`, by command. */
const help = new Map<string, string>();

beforeAll(async () => {
  const commands = new Set(documents.flatMap(({ typed }) => typed.flatMap(commandsIn)).map(({ command }) => command));
  const asking = [...commands].map(async (command) => {
    const words = command.split(' ').filter((word) => word !== '');
    help.set(command, (await runCommand(database, [...words, '--help'])).stdout);
  });
  await Promise.all(asking);
});

/** Error codes, by the engines' own names. */
const OF_ENGINES = /^(ER|HA_ERR|SQLITE)_/;

/** Not variables, though they look like variables: SQL, Nest, error codes, patterns of names. */
const NO_VARIABLES = [
  'API_KEY',
  'GET_LOCK',
  'STRICT_ALL_TABLES',
  'NO_ZERO_DATE',
  'NO_ZERO_IN_DATE',
  'ERROR_FOR_DIVISION_BY_ZERO',
  'NO_ENGINE_SUBSTITUTION',
  'AUTO_INCREMENT',
  'FROM_UNIXTIME',
  'APP_GUARD',
  'APP_PIPE',
  'APP_FILTER',
  'APP_INTERCEPTOR',
  'DATABASE_TIMEOUT',
  'DATABASE_NOT_COMMITTED',
  'PROTOCOL_CONNECTION_LOST',
  'DATABASE_SESSION',
  'MAX_USER_CONNECTIONS',
  'NO_CHAIN',
  'NODE_EXTRA_CA_CERTS',
  'LOG_LOGIN',
  'NAME_FILE',
  'OPERATION_ID',
  'DATABASE_NOT_ASKED',
  'SHED_IN_FLIGHT',
  'SHED_LOOP_DELAY',
  'REQUEST_DEADLINE',
];

function configured(): string[] {
  return [...read('.env.example').matchAll(/^#([A-Z0-9_]+)=/gm)].map(([, name]) => name!);
}

/** Variables that the code reads outside of the configuration: in tests, scripts and the build. */
function readElsewhere(): string[] {
  const code = projectFiles().filter((path) => /^(src|test|scripts|bench)\/.*\.(m?[jt]s|cjs)$/.test(path));
  return code.flatMap((path) =>
    [...read(path).matchAll(/process\.env(?:\.|\[')([A-Z0-9_]+)/g)].map(([, name]) => name!),
  );
}

/** Variables that OpenTelemetry's packages read, or that the service reads for them. */
function ofOpenTelemetry(): string[] {
  const packages = globSync('node_modules/@opentelemetry/*/dist/**/*.mjs', { cwd: projectFolder });
  const code = [...packages, 'src/platform/tracing/sdk-environment.ts'];
  return code.flatMap((path) => read(path).match(/\bOTEL_[A-Z_]+\b/g) ?? []);
}

interface Typed {
  /** `keys create` */
  readonly command: string;
  readonly options: readonly string[];
}

/**
 * Each `dist/main.js …` or `animal-store …` in a text. Short forms such as `keys revoke ID` are found after one of
 * these, or at the beginning of a line.
 */
function commandsIn(text: string): Typed[] {
  const found = [...text.matchAll(/(?:dist\/main\.js|npx animal-store|^(?=keys ))\s*([^\n|;)#'"&>]*)/gm)];
  return found.map(([, rest]) => {
    const words = rest!.split(/[\s[\]]+/).filter((word) => word !== '');
    const last = words.findIndex((word) => !/^[a-z]+$/.test(word));
    return {
      command: words.slice(0, last < 0 ? undefined : last).join(' '),
      options: words.filter((word) => word.startsWith('--')),
    };
  });
}
