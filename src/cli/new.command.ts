import { Command, InvalidArgumentError } from 'commander';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refuse } from './exit-codes.js';
import { featureNames, type FeatureNames } from './feature-names.js';
import { renderTemplate, type NewFile } from './feature-template.js';
import { inRepository } from './room-imports.js';

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
 * @throws {InvalidArgumentError} with a plain sentence, where nothing was written.
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
  const final = repository ? files.map((file) => toSource(inRepository(fromSource(file), face))) : files;
  for (const { path, text } of final) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    writeFileSync(join(target, path), text);
  }
  if (repository) addToList(join(here, 'src/features.ts'), names);
  return [
    ...final.map(({ path }) => `wrote ${options.package ? `${name}/` : ''}${path}`),
    ...nextSteps(names, options, repository),
  ];
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
  return existsSync(join(folder, 'src/features.ts')) && existsSync(join(folder, 'src/platform/feature.ts'));
}

/** `[pets]` → `[pets, orders]`, with its import. */
function addToList(path: string, { feature }: FeatureNames): void {
  const text = readFileSync(path, 'utf8');
  const imported = `import { ${feature.camel} } from './${feature.kebab}/index.js';\n`;
  const listed = text.replace(/(features: readonly Feature\[\] = \[[^\]]*)\]/, `$1, ${feature.camel}]`);
  writeFileSync(path, imported + listed);
}

function nextSteps({ feature }: FeatureNames, options: NewOptions, repository: boolean): string[] {
  if (options.package)
    return ['', `Next: cd ${feature.kebab} && npm install PATH/TO/animal-store-1.0.0.tgz && npm test`];
  if (repository)
    return ['wrote src/features.ts', '', 'Next: npm run format && npm test -- src && npm run build && npm run openapi'];
  return [
    '',
    `Next: import { ${feature.camel} } from './${feature.kebab}/index.js' in main.ts, and add it to the features.`,
  ];
}
