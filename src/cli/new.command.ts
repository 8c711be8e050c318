import { Command, InvalidArgumentError } from 'commander';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { StartFault } from '../platform/start-fault.js';
import { refuse } from './exit-codes.js';
import { featureNames, type FeatureNames } from './feature-names.js';
import { renderTemplate, type NewFile } from './feature-template.js';
import { inRepository } from './room-imports.js';

/** Where a repository lists its features. */
const LIST = 'src/features.ts';

interface NewOptions {
  readonly package?: true;
  readonly singular?: string;
}

/** `new feature NAME`: writes a feature whose tests pass as they are written. */
export function newCommand(): Command {
  const feature = new Command('feature')
    .description('write a feature: controller, service, repository, entity, migration, DTOs and tests')
    .argument('<name>', 'in the plural, lower kebab case, e.g. pet-toys')
    .option('--package', 'as a package of its own, in a folder of that name')
    .option('--singular <word>', 'what one of them is called')
    .action((name: string, options: NewOptions) => {
      try {
        process.stdout.write(`${write(name, options).join('\n')}\n`);
      } catch (error) {
        if (error instanceof InvalidArgumentError) refuse(feature, error.message);
        throw error;
      }
    });
  return new Command('new').description('write code to begin with').addCommand(feature);
}

/**
 * Writes the files, and gives what to tell.
 *
 * @throws {InvalidArgumentError} with a plain sentence. @throws {StartFault} where the folder cannot be written. Then
 * nothing of the feature is left.
 */
function write(name: string, options: NewOptions): string[] {
  const names = featureNames(name, options.singular);
  const here = process.cwd();
  const files = options.package ? packageFiles(names) : featureFiles(names);
  const repository = !options.package && isRepository(here);
  const target = options.package ? join(here, name) : here;
  const place = options.package ? target : join(here, 'src', name);
  if (existsSync(place)) throw new InvalidArgumentError(`${place} is there already`);
  const face = repository ? readFileSync(join(here, 'src/index.ts'), 'utf8') : '';
  const list = repository ? withFeature(readFileSync(join(here, LIST), 'utf8'), names) : '';
  const final = repository ? files.map((file) => toSource(inRepository(fromSource(file), face))) : files;
  inNewFolder(place, () => {
    for (const { path, text } of final) {
      mkdirSync(dirname(join(target, path)), { recursive: true });
      writeFileSync(join(target, path), text);
    }
    if (repository) replaceFile(join(here, LIST), list, join(place, 'features.ts'));
  });
  return [
    ...final.map(({ path }) => `wrote ${options.package ? `${name}/` : ''}${path}`),
    ...nextSteps(names, options, repository),
  ];
}

/**
 * Makes a folder, with those above it, for `work` to write into; where that fails, all that was made is removed again.
 *
 * @throws {StartFault} for what the file system refused.
 */
function inNewFolder(folder: string, work: () => void): void {
  let made: string | undefined;
  try {
    made = mkdirSync(folder, { recursive: true });
    work();
  } catch (error) {
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw code === undefined ? error : new StartFault(`${folder} cannot be written (${code})`, { cause: error });
  }
}

/** By way of a draft in the same file system: a full disk must not cost what was there. */
function replaceFile(path: string, text: string, draft: string): void {
  writeFileSync(draft, text);
  renameSync(draft, path);
}

function featureFiles(names: FeatureNames): NewFile[] {
  return renderTemplate('feature', names, Date.now()).map(({ path, text }) => ({
    path: `src/${names.feature.kebab}/${path}`,
    text,
  }));
}

/** A package is one feature, so its source lies in `src` itself. */
function packageFiles(names: FeatureNames): NewFile[] {
  const feature = renderTemplate('feature', names, Date.now());
  return [
    ...renderTemplate('package', names, Date.now()),
    ...feature.map(({ path, text }) => ({ path: `src/${path}`, text })),
  ];
}

const fromSource = ({ path, text }: NewFile): NewFile => ({ path: path.slice('src/'.length), text });
const toSource = ({ path, text }: NewFile): NewFile => ({ path: `src/${path}`, text });

function isRepository(folder: string): boolean {
  return existsSync(join(folder, LIST)) && existsSync(join(folder, 'src/platform/feature.ts'));
}

/**
 * `[pets]` → `[pets, orders]`, with its import.
 *
 * @throws {InvalidArgumentError} where there is no such list.
 */
function withFeature(text: string, { feature }: FeatureNames): string {
  const [whole, begin, names] = /(features: readonly Feature\[\] = \[)([^\]]*)\]/.exec(text) ?? [];
  if (whole === undefined || names === undefined) throw new InvalidArgumentError(`${LIST} has no list of features`);
  const listed = names.split(',').map((name) => name.trim());
  const all = [...listed.filter((name) => name !== ''), feature.camel].join(', ');
  return `import { ${feature.camel} } from './${feature.kebab}/index.js';\n${text.replace(whole, `${begin}${all}]`)}`;
}

function nextSteps({ feature }: FeatureNames, options: NewOptions, repository: boolean): string[] {
  if (options.package)
    return ['', `Next: cd ${feature.kebab} && npm install PATH/TO/animal-store-1.0.0.tgz && npm test`];
  if (repository)
    return [`wrote ${LIST}`, '', 'Next: npm run format && npm test -- src && npm run build && npm run openapi'];
  return [
    '',
    `Next: import { ${feature.camel} } from './${feature.kebab}/index.js' in main.ts, and add it to the features.`,
  ];
}
