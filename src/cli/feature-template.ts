import { InvalidArgumentError } from 'commander';
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isKebabCase } from '../platform/feature.js';

/** The names of a feature and of one of its objects, in every spelling that code and SQL use. */
export interface FeatureNames {
  readonly feature: Spellings;
  readonly one: Spellings;
}

interface Spellings {
  /** `pet-toys` */
  readonly kebab: string;
  /** `pet_toys` */
  readonly snake: string;
  /** `petToys` */
  readonly camel: string;
  /** `PetToys` */
  readonly pascal: string;
}

/**
 * Words that cannot name a variable: reserved words of a module (ECMAScript, Reserved Words), and names that the
 * generated code already uses.
 */
const TAKEN = new Set(
  `arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof undefined var void while with yield

  after application assert assert-error assert-platform-rules before before-each constructor define-error-code define-feature describe
  created features id it parse parse-id pets run-service start-test-application

  api-error body column controller entity get idempotent injectable module page paginated param post query raises repository
  slice stability test-application`
    .split(/\s+/)
    .map((word) => spell(word).camel),
);

/**
 * @param feature in lower kebab case, plural.
 * @param singular the name of one object. Default: derived from the ending of `feature`, or `feature` with `-item`.
 * @throws {InvalidArgumentError} with a plain sentence.
 */
export function featureNames(feature: string, singular?: string): FeatureNames {
  requireKebab(feature);
  const one = singular ?? singularOf(feature);
  requireKebab(one);
  if (feature === one) throw new InvalidArgumentError('A feature is named in the plural, such as pet-toys');
  const names = { feature: spell(feature), one: spell(one) };
  for (const [{ camel }, say] of [[names.feature, 'another NAME'] as const, [names.one, '--singular WORD'] as const]) {
    if (TAKEN.has(camel)) throw new InvalidArgumentError(`No variable can be called '${camel}'. Say ${say}`);
  }
  return names;
}

function requireKebab(name: string): void {
  if (!isKebabCase(name)) throw new InvalidArgumentError(`'${name}' is not lower kebab case, such as pet-toys`);
}

function singularOf(plural: string): string {
  const word = withoutEnding(plural);
  return word === undefined || TAKEN.has(spell(word).camel) ? `${word ?? plural}-item` : word;
}

function withoutEnding(plural: string): string | undefined {
  if (plural.endsWith('ies')) return `${plural.slice(0, -3)}y`;
  if (/(ss|x|ch|sh)es$/.test(plural)) return plural.slice(0, -2);
  return /[^su]s$/.test(plural) ? plural.slice(0, -1) : undefined;
}

function spell(kebab: string): Spellings {
  const camel = kebab.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return {
    kebab,
    snake: kebab.replaceAll('-', '_'),
    camel,
    pascal: camel.charAt(0).toUpperCase() + camel.slice(1),
  };
}

/** A file to write. */
export interface NewFile {
  /** Relative to the target folder. */
  readonly path: string;
  readonly text: string;
}

/** The templates are a feature named `things`. It compiles, lints and passes its tests unchanged. */
const folder = fileURLToPath(new URL('../../templates', import.meta.url));
const TIMESTAMP = /1764000000000/g;
/** Comments and strings. */
const PROSE = /\/\*.*?\*\/|\/\/[^\n]*|'[^'\n]*'|`[^`]*`/gs;

/**
 * Returns the files of a template with the new names.
 *
 * @throws {InvalidArgumentError} with a plain sentence, if a class of the feature would have the name of another class.
 * @param now milliseconds since the Unix epoch, for the name of the migration.
 */
export function renderTemplate(template: 'feature' | 'package', names: FeatureNames, now: number): NewFile[] {
  const root = join(folder, template);
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map((entry) => {
    const file = join(entry.parentPath, entry.name);
    const text = readFileSync(file, 'utf8');
    if (new RegExp(`\\b${names.one.pascal}\\b`).test(text.replace(PROSE, ''))) {
      throw new InvalidArgumentError(`The code needs another class '${names.one.pascal}'. Say --singular WORD`);
    }
    // npm does not pack a file named .gitignore.
    const path = file.slice(root.length + 1).replace(/^gitignore$/, '.gitignore');
    return { path: rename(path, names, now), text: rename(text, names, now) };
  });
}

/** The text around `things` decides its spelling: first SQL and codes, then paths and names, then TypeScript. */
function rename(text: string, { feature, one }: FeatureNames, now: number): string {
  return text
    .replace(TIMESTAMP, String(now))
    .replace(/\bthings_thing\b/g, `${feature.snake}_${one.snake}`)
    .replace(/\bthing_/g, `${one.snake}_`)
    .replace(/(?<=^|['"`/-])things(?=$|['"`:/.?])/g, feature.kebab)
    .replace(/(?<=^|['"`/-])thing(?=\.)/g, one.kebab)
    .replaceAll('Things', feature.pascal)
    .replaceAll('Thing', one.pascal)
    .replace(/(?<![a-z])things/g, feature.camel)
    .replace(/(?<![a-z])thing/g, one.camel);
}

/**
 * Adapts a file of a feature to this repository: it imports from the folders of the platform instead of `animal-store`,
 * and its tests run in Jest.
 *
 * @param file as in another package. Its path is relative to `src/`.
 * @param publicApi the text of src/index.ts, which shows the folder of each name.
 */
export function inRepository(file: NewFile, publicApi: string): NewFile {
  const folders = foldersOf(publicApi);
  const up = posix.relative(posix.dirname(file.path), '.') || '.';
  const text = file.text
    .replace(/^import \{([^}]*)\} from 'animal-store';$/gm, (_, list: string) => importsOf(namesIn(list), folders, up))
    .replace("'animal-store/testing'", `'${up}/testing/index.js'`)
    .replace(
      "import { after, before, beforeEach, describe, it } from 'node:test';",
      "import { afterAll as after, beforeAll as before, beforeEach, describe, it } from '@jest/globals';",
    );
  return { path: file.path.replace(/\.test\.ts$/, '.spec.ts'), text };
}

/** Maps each name to the file from which src/index.ts exports it, e.g. `./platform/errors/index.js`. */
function foldersOf(publicApi: string): Map<string, string> {
  const exported = publicApi.matchAll(/^export \{([^}]*)\} from '([^']*)';$/gm);
  return new Map(
    [...exported].flatMap(([, list = '', folder = '']) => namesIn(list).map((name) => [bare(name), folder] as const)),
  );
}

function importsOf(names: readonly string[], folders: ReadonlyMap<string, string>, up: string): string {
  const byFolder = Map.groupBy(names, (name) => folders.get(bare(name)) ?? './index.js');
  return [...byFolder]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([folder, inside]) => {
      const types = inside.every((name) => name.startsWith('type '));
      const list = types ? inside.map(bare).join(', ') : inside.join(', ');
      return `import ${types ? 'type ' : ''}{ ${list} } from '${posix.join(up, folder)}';`;
    })
    .join('\n');
}

function namesIn(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function bare(name: string): string {
  return name.replace(/^type /, '');
}
