import { InvalidArgumentError } from 'commander';
import { posix } from 'node:path';
import { featureNames, inRepository, renderTemplate, type FeatureNames, type NewFile } from './feature-template.js';

/** The used part of the `Tree` of @angular-devkit/schematics. Paths are relative to the folder of the project. */
export interface Tree {
  exists(path: string): boolean;
  readText(path: string): string;
  create(path: string, text: string): void;
  overwrite(path: string, text: string): void;
}

/** The supported options of `nest g`. */
export interface FeatureOptions {
  /** Plural, lower kebab case. */
  readonly name: string;
  /** The name of one object. Default: derived from `name`. */
  readonly singular?: string | undefined;
  /** The parent folder of the feature, relative to the source root. */
  readonly path?: string | undefined;
  /** Default: `src`. */
  readonly sourceRoot?: string | undefined;
  /** If true, the feature is not added to the list of features. */
  readonly skipImport?: boolean | undefined;
}

/** Files in which a project lists its features: in this repository, and in a package that runs the service. */
const LISTS: readonly (readonly [file: string, list: RegExp])[] = [
  ['features.ts', /(features: readonly Feature\[\] = \[)([^\]]*)\]/],
  ['main.ts', /(runService\(\[)([^\]]*)\]/],
];

/**
 * `nest g -c animal-store feature orders`: writes a feature whose tests pass unchanged, and adds it to the project's
 * list of features if there is one.
 *
 * @throws {InvalidArgumentError} with a plain sentence, for a name that cannot be used.
 */
export function feature({ sourceRoot = 'src', path = '', skipImport = false, ...named }: FeatureOptions) {
  return (tree: Tree): void => {
    const names = featureNames(named.name, named.singular);
    const folder = posix.join(path, names.feature.kebab);
    const files = renderTemplate('feature', names, Date.now()).map((file) => inFolder(folder, file));
    const own = tree.exists(`${sourceRoot}/platform/feature.ts`)
      ? withRepositoryImports(files, tree, sourceRoot)
      : files;
    for (const { path: at, text } of own) tree.create(posix.join(sourceRoot, at), text);
    if (!skipImport) addToList(tree, sourceRoot, names, folder);
  };
}

/** `nest g -c animal-store package orders`: writes a package with one feature, which runs the service with it. */
export function featurePackage({ name, singular }: FeatureOptions) {
  return (tree: Tree): void => {
    const names = featureNames(name, singular);
    const now = Date.now();
    const source = renderTemplate('feature', names, now).map((file) => inFolder('src', file));
    for (const file of [...renderTemplate('package', names, now), ...source]) {
      tree.create(posix.join(names.feature.kebab, file.path), file.text);
    }
  };
}

/** The files with the imports of this repository. */
function withRepositoryImports(files: readonly NewFile[], tree: Tree, sourceRoot: string): NewFile[] {
  const publicApi = tree.readText(`${sourceRoot}/index.ts`);
  return files.map((file) => inRepository(file, publicApi));
}

/** `[pets]` → `[pets, orders]`, with the import. */
function addToList(tree: Tree, sourceRoot: string, { feature: { camel } }: FeatureNames, folder: string): void {
  for (const [file, list] of LISTS) {
    const path = `${sourceRoot}/${file}`;
    if (!tree.exists(path)) continue;
    const text = tree.readText(path);
    const [whole, begin, inside] = list.exec(text) ?? [];
    if (whole === undefined || inside === undefined) {
      if (file === 'main.ts') return;
      throw new InvalidArgumentError(`${path} has no list of features`);
    }
    const listed = inside.split(',').flatMap((name) => name.trim() || []);
    if (listed.includes(camel)) throw new InvalidArgumentError(`${path} has a feature '${camel}' already`);
    const changed = text.replace(whole, `${begin}${[...listed, camel].join(', ')}]`);
    return tree.overwrite(path, `import { ${camel} } from './${folder}/index.js';\n${changed}`);
  }
}

function inFolder(folder: string, { path, text }: NewFile): NewFile {
  return { path: posix.join(folder, path), text };
}
